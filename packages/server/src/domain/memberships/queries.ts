import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { containing } from '../../platform/db/like.ts';
import type { Memberships, Schema } from '../../platform/db/schema.ts';
import type { MembershipKey } from '../kernel/membership-key.ts';
import type { OrganizationRole } from '../kernel/permissions.ts';
import { deleteMemberRoles, deleteRolesOfUser } from '../roles/queries.ts';

interface Search {
  readonly organization_id: string;
  /** The text to search for. Left out: all members. */
  readonly q?: string | undefined;
}

/** The current members, including disabled users. */
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

/** The roles of a member besides the base role. */
const rolesOfMember = (eb: ExpressionBuilder<Schema & { m: Memberships }, 'm'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('member_roles as held')
      .innerJoin('roles as r', 'r.id', 'held.role_id')
      .select(['r.id', 'r.slug', 'r.name'])
      .whereRef('held.organization_id', '=', 'm.organization_id')
      .whereRef('held.user_id', '=', 'm.user_id'),
  ).as('roles');

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

export const listMembers = (db: Db, { limit, offset, ...search }: Search & { limit: number; offset: number }) =>
  membersOf(db, search)
    .select(columns)
    .select(rolesOfMember)
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

export const findMember = (db: Db, { organization_id, user_id }: MembershipKey) =>
  membersOf(db, { organization_id })
    .select(columns)
    .select(rolesOfMember)
    .where('m.user_id', '=', user_id)
    .executeTakeFirst();

/** Returns ended memberships too. Locks the row until the transaction ends. */
export const findMembershipForUpdate = (tx: Tx, { organization_id, user_id }: MembershipKey) =>
  tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', 'm.revoked_at', 'u.status', 'u.platform_role'])
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '=', user_id)
    .forNoKeyUpdate('m')
    .executeTakeFirst();

export async function countOtherOwners(tx: Tx, { organization_id, user_id }: MembershipKey): Promise<number> {
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

/** Limits the mails of one notice, which share the queue with sign-in codes. */
const MAX_OWNERS_NOTIFIED = 100;

export const listOwners = (
  db: Db,
  { organization_id, limit = MAX_OWNERS_NOTIFIED }: { organization_id: string; limit?: number },
) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['u.email', 'u.locale', 'u.email_verified_at', 'o.name as organization_name'])
    .where('m.organization_id', '=', organization_id)
    .where('m.role', '=', 'owner')
    .where('m.revoked_at', 'is', null)
    .where('u.status', '=', 'active')
    .orderBy('u.email_verified_at')
    .orderBy('u.id')
    .limit(limit)
    .execute();

export const updateRole = (tx: Tx, { organization_id, user_id, role }: MembershipKey & { role: OrganizationRole }) =>
  tx
    .updateTable('memberships')
    .set({ role })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

/** The columns to set when a membership ends. The email is copied, because the account may have another one later. */
const ended = (now: Date) => ({
  revoked_at: now,
  revoked_email: sql<string>`(select email from users where users.id = memberships.user_id)`,
});

/** Ends a membership, with its roles. The row stays: single sign-on does not add a former member again. */
export async function revokeMembership(
  tx: Tx,
  { organization_id, user_id, now }: MembershipKey & { now: Date },
): Promise<void> {
  await tx
    .updateTable('memberships')
    .set(ended(now))
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();
  await deleteMemberRoles(tx, { organization_id, user_id });
}

/**
 * Returns the membership as it is now. Locks it until the transaction ends: a concurrent removal, demotion or
 * suspension commits before this read or waits. Returns undefined if the user is not an active member or the
 * organization is suspended.
 */
export const findActiveMembership = (tx: Tx, { organization_id, user_id }: MembershipKey) =>
  tx
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', 'o.name as organization_name', 'u.email', 'u.email_verified_at', 'u.locale'])
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '=', user_id)
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .where('u.status', '=', 'active')
    .forShare(['o', 'm'])
    .executeTakeFirst();

/** All memberships of an organization, all of a user, or, with both ids, that user's in that organization. */
export type MembershipFilter = Partial<MembershipKey>;

export async function hasActivePlatformOwner(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select('u.id')
    .where('u.platform_role', '=', 'owner')
    .where('u.status', '=', 'active')
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether some platform owner can sign in through these memberships, and no platform owner through any other. */
export async function isLastMembershipOfPlatformOwners(
  tx: Tx,
  { organization_id, user_id }: MembershipFilter,
): Promise<boolean> {
  const isNamed = sql`(m.organization_id = coalesce(${organization_id ?? null}::uuid, m.organization_id)
    and m.user_id = coalesce(${user_id ?? null}::uuid, m.user_id))`;
  const { rows } = await sql<{ by_named: boolean; by_others: boolean }>`
    select coalesce(bool_or(${isNamed}), false) as by_named, coalesce(bool_or(not ${isNamed}), false) as by_others
    from users u
    join memberships m on m.user_id = u.id and m.revoked_at is null
    join organizations o on o.id = m.organization_id and o.suspended_at is null
    where u.platform_role = 'owner' and u.status = 'active'`.execute(tx);
  const { by_named, by_others } = rows[0]!;
  return by_named && !by_others;
}

export async function revokeMemberships(tx: Tx, user_id: string, now: Date) {
  const rows = await tx
    .updateTable('memberships')
    .set(ended(now))
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['organization_id', 'role'])
    .execute();
  await deleteRolesOfUser(tx, user_id);
  return rows;
}

export type OwnMembership = Awaited<ReturnType<typeof listOwnMemberships>>[number];

const hasOther = (role: RawBuilder<unknown>) => sql<boolean>`exists (
  select from memberships other join users u on u.id = other.user_id and u.status = 'active'
  where other.organization_id = m.organization_id and other.user_id <> m.user_id and other.revoked_at is null and ${role})`;

/** The current memberships of a user, and whether the organizations have another active owner and member. */
export const listOwnMemberships = (tx: Tx, user_id: string) =>
  tx
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['m.organization_id', 'o.name as organization_name', 'm.role'])
    .select([hasOther(sql`other.role = 'owner'`).as('has_other_owner'), hasOther(sql`true`).as('has_other_member')])
    .where('m.user_id', '=', user_id)
    .where('m.revoked_at', 'is', null)
    .orderBy('m.organization_id')
    .execute();

/** All memberships of a user, including ended ones, oldest first. */
export const listMembershipRecords = (db: Db, user_id: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id as organization_id', 'o.name as organization_name', 'o.slug as organization_slug'])
    .select((eb) => ['m.role', 'm.joined_at', 'm.revoked_at', 'm.revoked_email', rolesOfMember(eb)])
    .where('m.user_id', '=', user_id)
    .orderBy('m.joined_at')
    .orderBy('o.id')
    .execute();

interface NewMembership extends MembershipKey {
  readonly role: OrganizationRole;
  readonly now: Date;
}

export async function countOtherMemberships(tx: Tx, { organization_id, user_id }: MembershipKey): Promise<number> {
  const { count } = await tx
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('organization_id', '<>', organization_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds a member; one who has left is added again. An active membership keeps its role. Returns the role. */
export async function upsertMembership(tx: Tx, { now, ...membership }: NewMembership): Promise<OrganizationRole> {
  const { role } = await tx
    .insertInto('memberships')
    .values({ ...membership, joined_at: now, revoked_at: null })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({
        role: sql`case when memberships.revoked_at is null then memberships.role else excluded.role end`,
        joined_at: sql`case when memberships.revoked_at is null then memberships.joined_at else excluded.joined_at end`,
        revoked_at: null,
        revoked_email: null,
      }),
    )
    .returning('role')
    .executeTakeFirstOrThrow();
  return role;
}

/** The organizations that the user of a session can act in, that of the session first, then by name. */
export const listSelectableOrganizations = (db: Db, { organization_id, user_id }: MembershipKey) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.name'])
    .where('m.user_id', '=', user_id)
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .orderBy(sql`o.id = ${organization_id}::uuid`, 'desc')
    .orderBy('o.name')
    .orderBy('o.id')
    .execute();
