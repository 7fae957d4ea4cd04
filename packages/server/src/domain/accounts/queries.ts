import type { Db } from '../../platform/db/connect.ts';

export async function countPlatformOwners(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('platform_role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return count;
}
