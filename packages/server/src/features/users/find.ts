import type { User } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { describeUser } from '../../domain/users/describe.ts';
import { findUserRecord, noSuchUser } from '../../domain/users/queries.ts';

/** GET /users/:id: any user, including deleted ones. */
export async function findOne({ db, config }: Deps, user_id: string): Promise<User> {
  const row = await findUserRecord(db, user_id);
  if (!row) throw noSuchUser();
  return describeUser(config, row);
}
