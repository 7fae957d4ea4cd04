import type { User, UserPage } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { describeUser } from '../../domain/users/describe.ts';
import { listUsers, type UserSort } from './queries.ts';

interface Query {
  readonly q: string | undefined;
  readonly organization_id: string | undefined;
  readonly status: User['status'] | undefined;
  readonly sort: UserSort | undefined;
  readonly page: number;
  readonly page_size: number;
  readonly offset: number;
}

/** GET /admin/users: a page of all users, or of those whose email or name contains `q`, in any status by default. */
export async function listAll({ db, config }: Deps, { page, page_size, q = '', ...rest }: Query): Promise<UserPage> {
  const { rows, total } = await listUsers(db, { ...rest, q: q.trim(), limit: page_size });
  return { items: rows.map((row) => describeUser(config, row)), total, page, page_size };
}
