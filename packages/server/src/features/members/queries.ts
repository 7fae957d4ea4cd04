import { LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import type { OrganizationRole } from '../../domain/access/roles.ts';
import type { Seat } from '../../domain/memberships/queries.ts';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { containing } from '../../platform/db/like.ts';

interface Search {
  readonly organization_id: string;
  /** Left out: everybody. */
  readonly q?: string | undefined;
}

/** Everybody who belongs to it now, those who are disabled too. */
const membersOf = (db: Db, { organization_id, q }: Search) => {
  const rows = db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.organization_id', '=', organization_id)
    .where('m.revoked_at', 'is', null)
    .where('u.status', '<>', 'deleted');
  if (q === undefined) return rows;
  const pattern = containing(q);
  return rows.where((eb) => eb.or([eb('u.email', 'ilike', pattern), eb('u.display_name', 'ilike', pattern)]));
};

const columns = [
  'u.id as user_id',
  'u.email',
  'u.display_name',
  'u.avatar_id',
  'u.status',
  'u.mfa_enabled_at',
  'm.role',
  'm.joined_at',
] as const;

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

export const listMembers = (db: Db, { limit, offset, ...search }: Search & { limit: number; offset: number }) =>
  membersOf(db, search)
    .select(columns)
    .orderBy('m.joined_at')
    .orderBy('m.user_id')
    .limit(limit)
    .offset(offset)
    .execute();

export async function countMembers(db: Db, search: Search): Promise<number> {
  const { count } = await membersOf(db, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export const findMember = (db: Db, { organization_id, user_id }: Seat) =>
  membersOf(db, { organization_id }).select(columns).where('m.user_id', '=', user_id).executeTakeFirst();

/** One that has ended is found too. Held until the transaction ends. */
export const findMembershipForUpdate = (tx: Tx, { organization_id, user_id }: Seat) =>
  tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', 'm.revoked_at', 'u.status', 'u.platform_role'])
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '=', user_id)
    .forNoKeyUpdate('m')
    .executeTakeFirst();

/** Who could still run this organization without this person. */
export async function countOtherOwners(tx: Tx, { organization_id, user_id }: Seat): Promise<number> {
  const { count } = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '<>', user_id)
    .where('m.role', '=', 'owner')
    .where('m.revoked_at', 'is', null)
    .where('u.status', '=', 'active')
    .executeTakeFirstOrThrow();
  return count;
}

export const updateRole = (tx: Tx, { organization_id, user_id, role }: Seat & { role: OrganizationRole }) =>
  tx
    .updateTable('memberships')
    .set({ role })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

export async function isPlatformOwner(tx: Tx, user_id: string): Promise<boolean> {
  const user = await tx.selectFrom('users').select('platform_role').where('id', '=', user_id).executeTakeFirst();
  return user?.platform_role === 'owner';
}

/** What is told of them later is not told under an organization they have left. */
export const clearLastOrganization = (tx: Tx, { organization_id, user_id }: Seat) =>
  tx
    .updateTable('users')
    .set({ last_organization_id: null })
    .where('id', '=', user_id)
    .where('last_organization_id', '=', organization_id)
    .execute();

export const revokeMembership = (tx: Tx, { organization_id, user_id, now }: Seat & { now: Date }) =>
  tx
    .updateTable('memberships')
    .set({ revoked_at: now })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

export const deleteOldMemberships = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'memberships',
    where: sql`revoked_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`revoked_at`,
    limit,
  });
