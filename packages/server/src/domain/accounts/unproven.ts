import type { CurrentSession } from '@gatehouse/contract';
import type { Deps } from '../context.ts';
import { type DescribedSession, describeSession } from '../sessions/describe.ts';
import { findUnprovenCredentials } from './queries.ts';

/** Only such a session may see credentials that someone else registered. The database is not asked for any other. */
export const mayBeUnproven = ({
  first_factor,
  email_verified_at,
}: Pick<DescribedSession, 'first_factor' | 'email_verified_at'>): boolean =>
  first_factor === 'email_otp' && email_verified_at === null;

/**
 * The contract, section 9.1: a session as its owner sees it, with the credentials that the account has and this session has
 * neither proved nor added. They are read anew each time: another session may add or remove some at any moment.
 */
export async function describeCurrent({ db }: Deps, state: DescribedSession): Promise<CurrentSession> {
  return describeSession(state, mayBeUnproven(state) ? await findUnprovenCredentials(db, state.session_id) : []);
}
