import type { Interaction, InteractionDecision, InteractionResult } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import { claimInteraction, findInteraction } from '../../domain/interactions/queries.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { listSelectableOrganizations } from '../../domain/memberships/queries.ts';
import { upsertConsent } from '../../domain/oauth-server/consents/queries.ts';
import { shareUser } from '../../domain/users/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { continueRequest } from './continue.ts';
import { evaluate, isForAnother, mustReauthenticate, type Progress } from './evaluate.ts';
import { AuthorizationFailure, failureUrl } from './failure.ts';
import { type AuthorizationRequest, isRegistered } from './request.ts';

interface Visitor {
  readonly id: string;
  /** The cookie that binds interactions to the browser, if there is one. */
  readonly browser: string | undefined;
  readonly session: SessionState | undefined;
}

interface Found {
  readonly row: NonNullable<Awaited<ReturnType<typeof findInteraction>>>;
  readonly application: ApplicationRow;
  readonly request: AuthorizationRequest;
  readonly progress: Progress;
  readonly browser_hash: Buffer;
}

/** Throws 404 in another browser, for another user and for a removed redirect URI; 409 if it was decided. */
async function find(deps: Deps, { id, browser, session }: Visitor): Promise<Found> {
  const browser_hash = hashToken(browser ?? '');
  const row =
    browser === undefined ? undefined : await findInteraction(deps.db, { id, browser_hash, now: deps.clock.now() });
  const application = row && (await deps.applications.find(row.client_id));
  if (!row || !application || (row.user_id !== null && row.user_id !== session?.user_id)) throw unknown();
  const { progress, ...request } = row.request as unknown as AuthorizationRequest & { progress: StoredProgress };
  // An administrator may have removed the redirect URI since the request began.
  if (!isRegistered(application, request.redirect_uri)) throw unknown();
  if (row.decided_at !== null) throw decided();
  return {
    row,
    application,
    request,
    progress: { ...progress, requested_at: new Date(progress.requested_at) },
    browser_hash,
  };
}

type StoredProgress = Omit<Progress, 'requested_at'> & { readonly requested_at: string };

const unknown = () => new ServiceError('not_found', 'there is no such interaction, or it has expired');

const decided = () => new ServiceError('conflict', 'this request was already decided');

export async function readInteraction(deps: Deps, visitor: Visitor): Promise<Interaction> {
  const { row, application, request, progress } = await find(deps, visitor);
  const { session } = visitor;
  const fixed = application.organization_id ?? request.organization ?? ownOrganization(session);
  const organizations = session ? await listSelectableOrganizations(deps.db, session) : [];
  return {
    id: row.id,
    kind: row.kind,
    application: { client_id: row.client_id, name: row.name },
    scopes: [...request.scopes],
    organizations: organizations.filter(({ id }) => fixed === null || id === fixed),
    requested_from: row.requested_from,
    requested_at: row.requested_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    reauthenticate:
      row.kind === 'sign_in' &&
      (mustReauthenticate(request, progress, session ?? { auth_time: new Date(0) }) ||
        (session !== undefined && isForAnother(request, session))),
    login_hint: request.login_hint,
  };
}

/** A session of single sign-on can act only in its own organization. */
const ownOrganization = (session: SessionState | undefined): string | null =>
  session?.reach === 'organization' ? session.organization_id : null;

/** POST /auth/oauth-interactions/:id: stores the decision of the user, once. Returns where the browser goes. */
export async function decideInteraction(
  deps: Deps,
  caller: Caller,
  visitor: Visitor,
  { decision, organization_id }: InteractionDecision,
): Promise<InteractionResult> {
  const found = await find(deps, visitor);
  // Reloads the session, because the cached state may be older than the second factor.
  const session = visitor.session && (await deps.sessions.reload(visitor.session.session_id));
  if (!session) throw notSignedIn();
  const redirect_to = await (decision === 'deny'
    ? deny(deps, found)
    : allow(deps, caller, found, session, organization_id));
  return { redirect_to };
}

async function deny(deps: Deps, { row, request }: Found): Promise<string> {
  await transact(deps.db, (tx) => claim(tx, deps, row.id));
  return failureUrl(deps.config, request, new AuthorizationFailure('access_denied', 'the user has declined'));
}

async function allow(
  deps: Deps,
  caller: Caller,
  { row, application, request, progress: before, browser_hash }: Found,
  session: SessionState,
  organization_id: string | undefined,
): Promise<string> {
  const progress: Progress = {
    ...before,
    account_chosen: true,
    consented: before.consented || row.kind === 'consent',
    organization_id:
      organization_id?.toLowerCase() ??
      (row.kind === 'organization' ? session.organization_id : before.organization_id),
  };
  try {
    const outcome = await evaluate(deps, { application, request, progress, session, ip_address: caller.ip_address });
    return await transact(deps.db, async (tx) => {
      // Lock order: the user before the consent (avoids deadlocks).
      await shareUser(tx, session.user_id);
      await claim(tx, deps, row.id);
      if (row.kind === 'consent') await storeConsent(tx, deps, caller, { application, request, session });
      const step = { application, request, progress, outcome, browser_hash, user_id: session.user_id };
      return continueRequest(tx, deps, caller, step);
    });
  } catch (error) {
    if (!(error instanceof AuthorizationFailure)) throw error;
    await transact(deps.db, (tx) => claim(tx, deps, row.id));
    return failureUrl(deps.config, request, error);
  }
}

async function claim(tx: Tx, { clock }: Deps, id: string): Promise<void> {
  if (!(await claimInteraction(tx, id, clock.now()))) throw decided();
}

interface Consent {
  readonly application: ApplicationRow;
  readonly request: AuthorizationRequest;
  readonly session: SessionState;
}

async function storeConsent(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { application, request, session }: Consent,
): Promise<void> {
  const now = deps.clock.now();
  const { scopes } = request;
  await upsertConsent(tx, { user_id: session.user_id, application_id: application.id, scopes, now });
  await recordAudit(tx, caller, {
    action: 'oauth.consent.granted',
    now,
    resource_type: 'application',
    resource_id: application.id,
    metadata: { scopes },
  });
}
