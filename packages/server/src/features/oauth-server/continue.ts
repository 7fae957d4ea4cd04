import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import { insertInteraction } from '../../domain/interactions/queries.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { insertGrant } from '../../domain/oauth-server/grants/queries.ts';
import { after } from '../../platform/clock.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { evaluate, Progress } from './evaluate.ts';
import { AuthorizationFailure, responseUrl } from './failure.ts';
import type { AuthorizationRequest } from './request.ts';

type Outcome = Awaited<ReturnType<typeof evaluate>>;

interface Continuation {
  readonly application: ApplicationRow;
  readonly request: AuthorizationRequest;
  readonly progress: Progress;
  readonly outcome: Outcome;
  /** The hash of the cookie that binds interactions to the browser. */
  readonly browser_hash: Buffer;
  /** The signed-in user, if known: only they may decide the interaction. */
  readonly user_id: string | null;
}

/** The page for a kind of interaction. It reads its data from `GET /auth/oauth-interactions/:id`. */
const pageOf = (kind: string, id: string): string =>
  `${kind === 'sign_in' ? '/sign-in' : '/consent'}?interaction=${id}`;

/** Stores the next step of a request. Returns the URL of an interaction page, or of the application with a code. */
export async function continueRequest(tx: Tx, deps: Deps, caller: Caller, step: Continuation): Promise<string> {
  const { application, request, progress, outcome } = step;
  const now = deps.clock.now();
  if (outcome.needs !== undefined) {
    const id = uuid();
    await insertInteraction(tx, {
      id,
      kind: outcome.needs,
      browser_hash: step.browser_hash,
      application_id: application.id,
      user_id: outcome.needs === 'sign_in' ? null : step.user_id,
      request: JSON.stringify({ ...request, progress }),
      requested_from: caller.ip_address,
      requested_at: progress.requested_at,
      expires_at: after(now, LIMITS.application.interaction),
      decided_at: null,
    });
    return pageOf(outcome.needs, id);
  }
  const code = randomToken();
  const { session, organization_id, policy } = outcome;
  const offline = request.scopes.includes('offline_access');
  const isAuthorized = await insertGrant(tx, {
    id: uuid({ msecs: now.getTime() }),
    application_id: application.id,
    user_id: session.user_id,
    organization_id,
    session_id: session.session_id,
    policy,
    scopes: request.scopes,
    resource: request.resource,
    offline,
    nonce: request.nonce,
    redirect_uri: request.redirect_uri,
    code_challenge: request.code_challenge,
    code_hash: hashToken(code),
    code_expires_at: after(now, LIMITS.application.code),
    expires_at: after(now, deps.config.SESSION_MAX_AGE),
    now,
  });
  // A concurrent request has changed something that the decision was based on.
  if (!isAuthorized) throw new AuthorizationFailure('access_denied', 'the user may no longer use the application');
  return responseUrl(deps.config, request, { code });
}
