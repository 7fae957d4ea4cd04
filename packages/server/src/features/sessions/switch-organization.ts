import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, tooMany } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { shareOrganization } from '../../domain/organizations/queries.ts';
import { copyOwnCredentials, findLiveSession } from '../../domain/sessions/queries.ts';
import { revokeSession } from '../../domain/sessions/revoke.ts';
import {
  admit,
  notAMember,
  type PreparedSignIn,
  type Proof,
  prepareSignIn,
  type SignedIn,
  withBreakGlass,
} from '../../domain/sign-in/complete.ts';
import { type Admitted, findAccount } from '../../domain/sign-in/queries.ts';
import { mayBeUnproven } from '../../domain/unproven/unproven.ts';
import { lockUser } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, isOver, updateCounters } from '../../platform/limiter/queries.ts';

/** Assurance of a session, which may change while its replacement is prepared. */
const assuranceOf = ({ aal, mfa_verified_at }: SessionState): string => `${aal} ${mfa_verified_at?.toISOString()}`;

const ATTEMPTS = 3;

/** Limited because each switch adds the old family to the revocation feed. */
const switchesOf = ({ limiter, config }: Deps, { user_id }: SessionState): Counter =>
  limiter.counter('organization switches', user_id, config.LIMIT_ORGANIZATION_SWITCHES);

/**
 * POST /auth/organization (docs/reference/sessions.md#switching-the-organization): replaces the session by one in
 * another organization with the same assurance.
 */
export async function switchOrganization(
  deps: Deps,
  caller: Caller,
  { session_id }: SessionState,
  organization_id: string,
): Promise<SignedIn> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const session = await findLiveSession(deps.db, session_id, deps.clock.now());
    if (!session) throw notSignedIn();
    const { prepared, queuesMail } = await prepare(deps, caller, session, organization_id);
    const granted = await replaceSession(deps, session, prepared);
    if (!granted) continue;
    if (queuesMail) deps.mail.wake();
    return prepared.issue(granted);
  }
  throw notSignedIn();
}

async function prepare(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  organization_id: string,
): Promise<{ prepared: PreparedSignIn; queuesMail: boolean }> {
  const now = deps.clock.now();
  const { account, full_until } = await findAccount(deps.db, {
    user_id: session.user_id,
    organization_id,
    trusted_browser_id: session.trusted_browser_id,
    counters: [switchesOf(deps, session)],
    now,
  });
  if (!account) throw notSignedIn();
  if (account.organization_id === null) throw notAMember();
  // Checked here too, so that most rejected requests take no lock.
  if (full_until) throw tooMany(secondsUntil(full_until, now));
  const proof: Proof = {
    method: session.auth_method,
    first_factor: session.first_factor,
    connection_id: session.connection_id,
    aal: session.aal,
    auth_time: session.auth_time,
    mfa_verified_at: session.mfa_verified_at,
    trusted_browser_id: session.trusted_browser_id,
    settles_mfa: true,
    audit: () => [
      auditRow(caller, {
        action: 'auth.session.revoked',
        now,
        resource_type: 'session',
        resource_id: session.session_id,
        metadata: { reason: 'organization_switched', count: 1 },
      }),
    ],
  };
  const entering = await withBreakGlass(deps, caller, account, proof);
  return { prepared: prepareSignIn(deps, caller, account, entering), queuesMail: entering !== proof };
}

/** Returns undefined if the assurance of the old session has changed since the new one was prepared. */
function replaceSession(deps: Deps, session: SessionState, prepared: PreparedSignIn): Promise<Admitted | undefined> {
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    // Lock order: users, organizations, sessions, memberships (avoids deadlocks).
    await lockUser(tx, session.user_id);
    await shareOrganization(tx, prepared.admission.session.organization_id);
    const current = await findLiveSession(tx, session.session_id, now);
    if (current && assuranceOf(current) !== assuranceOf(session)) return undefined;
    // Of concurrent switches, only one can revoke the session.
    if (!(await revokeSession(tx, deps, { id: session.session_id }, now))) throw notSignedIn();
    const granted = await admit(tx, deps, prepared);
    if (!granted) throw notAMember();
    if (mayBeUnproven(session)) {
      await copyOwnCredentials(tx, { from: session.session_id, to: prepared.session_id });
    }
    // Counted in the same transaction, so that a failed switch does not count.
    const counter = switchesOf(deps, session);
    const [count] = await updateCounters(tx, [counter], now);
    if (count && isOver([counter], count)) throw tooMany(secondsUntil(count.resets_at, now));
    return granted;
  });
}
