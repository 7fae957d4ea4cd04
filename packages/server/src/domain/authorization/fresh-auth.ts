import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { notSignedIn, stepUpRequired } from '../kernel/service-error.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { findCredentials } from '../passwords/queries.ts';
import { findLiveSession } from '../sessions/queries.ts';

/** Seconds for which a sign-in or an MFA verification counts as fresh proof. */
export const FRESH_AUTH_WINDOW = 15 * 60;

type Owner = { readonly mfa_enabled: boolean };
type Proved = Pick<SessionState, 'auth_time' | 'aal' | 'mfa_verified_at' | 'reach'>;

/** Throws unless the user has signed in or verified a second factor in the last `within` seconds. */
export function requireRecentAuth(
  { clock }: Deps,
  { auth_time, mfa_verified_at }: Pick<Proved, 'auth_time' | 'mfa_verified_at'>,
  owner: Owner,
  within: number,
): void {
  const oldest = after(clock.now(), -within);
  if (auth_time >= oldest || (mfa_verified_at !== null && mfa_verified_at >= oldest)) return;
  throw stepUpRequired(owner.mfa_enabled ? 'second_factor' : 'sign_in');
}

/**
 * With MFA on, throws unless this session has verified the second factor and no administrator has reset it since. In a
 * session of single sign-on, the provider may have verified the second factor instead.
 */
export function requireSecondFactor(
  { aal, mfa_verified_at, reach }: Pick<Proved, 'aal' | 'mfa_verified_at' | 'reach'>,
  { mfa_enabled }: Owner,
): void {
  const isVerified = aal === 'aal2' && (mfa_verified_at !== null || reach === 'organization');
  if (mfa_enabled && !isVerified) throw stepUpRequired('second_factor');
}

/**
 * docs/reference/mfa.md#fresh-proof: a sign-in or MFA verification in the last 15 minutes and, with MFA on, an `aal2`
 * session. Required for changes that outlive the session: a further credential
 * (docs/reference/sign-in.md#adding-a-credential), a trusted browser, a platform role.
 */
export function requireFreshAuth(deps: Deps, session: Proved, owner: Owner): void {
  requireSecondFactor(session, owner);
  requireRecentAuth(deps, session, owner, FRESH_AUTH_WINDOW);
}

/**
 * The session and its user's MFA setting as stored now; a guard may have seen older values. The caller has locked
 * the user's row, so MFA that is switched on concurrently is either seen here or takes effect afterwards.
 */
export async function readAuth(
  tx: Tx,
  { session_id, user_id }: Pick<SessionState, 'session_id' | 'user_id'>,
  now: Date,
): Promise<{ session: Proved; owner: Owner }> {
  const session = await findLiveSession(tx, session_id, now);
  const user = await findCredentials(tx, user_id);
  if (!session || !user) throw notSignedIn();
  return { session, owner: { mfa_enabled: user.mfa_enabled_at !== null } };
}
