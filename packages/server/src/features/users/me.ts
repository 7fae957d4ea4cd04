import type { User } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { describeUser } from '../../domain/users/describe.ts';
import { findUserRecord } from '../../domain/users/queries.ts';

/** GET /users/me. A session of single sign-on gets neither other memberships nor the platform role. */
export async function findMe(
  deps: Deps,
  { user_id, organization_id, reach }: Pick<SessionState, 'user_id' | 'organization_id' | 'reach'>,
): Promise<User> {
  const row = await findUserRecord(deps.db, user_id);
  if (row?.status !== 'active') throw notSignedIn();
  if (reach === 'account') return describeUser(deps.config, row);
  const memberships = row.memberships.filter((membership) => membership.organization_id === organization_id);
  return describeUser(deps.config, { ...row, memberships, platform_role: null });
}
