import { normalizeEmail } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { afterCommit, transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { findUserByEmail, hasChangedEmail, insertMilestone } from '../users/queries.ts';
import { changePlatformRole } from './platform-role.ts';

interface Candidate {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
}

/**
 * INITIAL_OWNER_EMAIL, once per database: the account with that email becomes platform owner. In production the email
 * must be verified first; otherwise anyone who registers it before its owner would become platform owner.
 */
export async function claimInitialOwner(tx: Tx, deps: Deps, user: Candidate): Promise<boolean> {
  const { INITIAL_OWNER_EMAIL, NODE_ENV } = deps.config;
  if (INITIAL_OWNER_EMAIL === undefined || user.email !== normalizeEmail(INITIAL_OWNER_EMAIL)) return false;
  if (NODE_ENV === 'production') {
    if (user.email_verified_at === null) return false;
    // Any user can request a change to this address; if its owner follows the link, that user must not get the role.
    if (await hasChangedEmail(tx, user.id)) return false;
  }
  if (!(await insertMilestone(tx, 'initial_owner', deps.clock.now()))) return false;
  await changePlatformRole(tx, deps, SYSTEM, { user_id: user.id, role: 'owner' });
  afterCommit(tx, () => deps.log.warn({ user_id: user.id }, 'INITIAL_OWNER_EMAIL: this account is now platform owner'));
  return true;
}

/**
 * docs/reference/accounts.md#platform-roles: in production the initial owner gets an account without credentials of
 * someone else. A request that verifies the email and carries no session of that account removes everything unproven.
 */
export const isOwnerStrict = ({ NODE_ENV, INITIAL_OWNER_EMAIL }: Deps['config']): boolean =>
  NODE_ENV === 'production' && INITIAL_OWNER_EMAIL !== undefined;

/** Called at start, because the account may be older than the setting. */
export async function claimInitialOwnerAtStart(deps: Deps): Promise<void> {
  const { INITIAL_OWNER_EMAIL } = deps.config;
  if (INITIAL_OWNER_EMAIL === undefined) return;
  const user = await findUserByEmail(deps.db, normalizeEmail(INITIAL_OWNER_EMAIL));
  if (user?.status !== 'active') return;
  await transact(deps.db, (tx) => claimInitialOwner(tx, deps, user));
}
