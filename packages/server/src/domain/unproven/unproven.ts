import type { CurrentSession } from '@gatehouse/contract';
import type { Deps } from '../context.ts';
import { knownDevice } from '../kernel/user-agent.ts';
import { type DescribedSession, describeSession } from '../sessions/describe.ts';
import { findOrigin, findUnprovenCredentials } from './queries.ts';

/** The session began with an emailed code and the email is unverified: only then are unproven credentials queried. */
export const mayBeUnproven = ({
  first_factor,
  email_verified_at,
}: Pick<DescribedSession, 'first_factor' | 'email_verified_at'>): boolean =>
  first_factor === 'email_otp' && email_verified_at === null;

/**
 * docs/reference/accounts.md#unproven-accounts: a session as its owner sees it, with the credentials of the account
 * that this session has neither proved nor added, and with the origin of the account, from which the owner of the
 * mailbox can tell whether they created it. Read again each time: another session may add or remove credentials at any
 * moment.
 */
export async function describeCurrent({ db }: Deps, state: DescribedSession): Promise<CurrentSession> {
  if (!mayBeUnproven(state)) return describeSession(state);
  const unproven_credentials = await findUnprovenCredentials(db, state.session_id);
  if (unproven_credentials.length === 0) return describeSession(state);
  const { created_at, user_agent } = await findOrigin(db, state.user_id);
  const account = { created_at: created_at.toISOString(), device: knownDevice(user_agent) };
  return describeSession(state, { unproven_credentials, account });
}
