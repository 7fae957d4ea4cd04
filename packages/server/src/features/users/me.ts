import type { User } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/service-error.ts';
import { describeUser } from '../../domain/users/describe.ts';
import { findUserRecord } from '../../domain/users/queries.ts';

/** GET /users/me: the user's own record, read from the database. */
export async function findMe(deps: Deps, user_id: string): Promise<User> {
  const row = await findUserRecord(deps.db, user_id);
  if (row?.status !== 'active') throw notSignedIn();
  return describeUser(deps.config, row);
}
