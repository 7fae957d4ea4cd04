import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Roles } from '../../platform/db/schema.ts';
import type { MembershipKey } from '../kernel/membership-key.ts';
import type { HeldRoles } from '../kernel/permissions.ts';

/** The roles of the membership `m` besides the base role, as a column of the statement that reads it. */
export const heldRoles = sql<HeldRoles | null>`case when exists (
    select from member_roles held where held.organization_id = m.organization_id and held.user_id = m.user_id)
  then held_roles(m.organization_id, m.user_id) end`;

/**
 * When the statement reads roles, by the clock of the database: the start of its transaction, which is never after the
 * statement's snapshot. `statement_timestamp()` may be, because the snapshot is taken when parameters are bound.
 */
export const permsAt = sql<number>`floor(extract(epoch from now()) * 1000)::bigint`;

export type RoleRow = Omit<Selectable<Roles>, 'deleted_at'>;

const columns = [
  'id',
  'organization_id',
  'name',
  'slug',
  'description',
  'permissions',
  'created_at',
  'updated_at',
] as const;

/** The global roles and, with an organization, its own. Sorted for display: global roles first, then by name. */
export const listRoles = (db: Db, organization_id: string | null): Promise<RoleRow[]> =>
  db
    .selectFrom('roles')
    .select(columns)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('organization_id', 'is', null), eb('organization_id', '=', organization_id)]))
    .orderBy(sql`organization_id is not null`)
    .orderBy('name')
    .orderBy('id')
    .execute();

/** Finds the roles among `ids` that can be assigned here: global, or of this organization. Locks them in share mode. */
export const findAssignableRoles = (tx: Tx, organization_id: string, ids: readonly string[]) =>
  tx
    .selectFrom('roles')
    .select(['id', 'permissions'])
    .where('id', '=', sql<string>`any (${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('organization_id', 'is', null), eb('organization_id', '=', organization_id)]))
    .orderBy('id')
    .forShare()
    .execute();

/** A role of this organization, or with null a global one; deleted ones too. Locks it until the transaction ends. */
export const findRoleForUpdate = (tx: Tx, { id, organization_id }: { id: string; organization_id: string | null }) =>
  tx
    .selectFrom('roles')
    .select([...columns, 'deleted_at'])
    .where('id', '=', id)
    .where(sql<boolean>`organization_id is not distinct from ${organization_id}::uuid`)
    .forUpdate()
    .executeTakeFirst();

export async function countRoles(tx: Tx, organization_id: string | null): Promise<number> {
  const { count } = await tx
    .selectFrom('roles')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(sql<boolean>`organization_id is not distinct from ${organization_id}::uuid`)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A slug is unique among the roles that one organization sees: a global role needs one that no organization uses. */
export async function isSlugTaken(
  tx: Tx,
  { slug, organization_id, except }: { slug: string; organization_id: string | null; except?: string | undefined },
): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from roles where slug = ${slug}::text and deleted_at is null
      and (${organization_id}::uuid is null or organization_id is null or organization_id = ${organization_id}::uuid)
      and id is distinct from ${except ?? null}::uuid) as taken`.execute(tx);
  return rows[0]!.taken;
}

export const insertRole = (tx: Tx, role: Insertable<Roles>) => tx.insertInto('roles').values(role).execute();

export const updateRole = (
  tx: Tx,
  { id, name, slug, description, permissions, updated_at }: Pick<RoleRow, 'id' | 'updated_at'> & Partial<RoleRow>,
) => tx.updateTable('roles').set({ name, slug, description, permissions, updated_at }).where('id', '=', id).execute();

/** Also takes the role from all members and service accounts. */
export async function deleteRole(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('roles').set({ deleted_at: now, permissions: [] }).where('id', '=', id).execute();
  await tx.deleteFrom('member_roles').where('role_id', '=', id).execute();
  await tx.deleteFrom('service_account_roles').where('role_id', '=', id).execute();
  await tx.deleteFrom('sso_connection_roles').where('role_id', '=', id).execute();
}

export const deleteOldRoles = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'roles',
    where: sql`deleted_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`deleted_at`,
    limit,
  });

/**
 * What the roles of a member allow besides the base role. Locks these roles in share mode; the caller has locked the
 * membership. A concurrent change of either commits before this read, or waits for the end of this transaction.
 */
export async function lockHeldPermissions(
  tx: Tx,
  { organization_id, user_id }: MembershipKey,
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('member_roles as held')
    .innerJoin('roles as r', 'r.id', 'held.role_id')
    .select('r.permissions')
    .where('held.organization_id', '=', organization_id)
    .where('held.user_id', '=', user_id)
    .where('r.deleted_at', 'is', null)
    .orderBy('r.id')
    .forShare('r')
    .execute();
  return new Set(rows.flatMap(({ permissions }) => permissions));
}

export const listMemberRoles = (tx: Tx, { organization_id, user_id }: MembershipKey) =>
  tx
    .selectFrom('member_roles as held')
    .innerJoin('roles as r', 'r.id', 'held.role_id')
    .select(['r.id', 'r.permissions'])
    .where('held.organization_id', '=', organization_id)
    .where('held.user_id', '=', user_id)
    .execute();

export async function insertMemberRoles(
  tx: Tx,
  { organization_id, user_id }: MembershipKey,
  role_ids: readonly string[],
): Promise<void> {
  if (role_ids.length === 0) return;
  await tx
    .insertInto('member_roles')
    .values(role_ids.map((role_id) => ({ organization_id, user_id, role_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes roles from a member; without ids, all of them. */
export const deleteMemberRoles = (
  tx: Tx,
  { organization_id, user_id }: MembershipKey,
  role_ids?: readonly string[],
) => {
  const rows = tx
    .deleteFrom('member_roles')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id);
  return (role_ids ? rows.where('role_id', '=', sql<string>`any (${role_ids}::uuid[])`) : rows).execute();
};

/** For a user who leaves all organizations: deletes all roles. */
export const deleteRolesOfUser = (tx: Tx, user_id: string) =>
  sql`delete from member_roles held using memberships m
    where m.user_id = ${user_id}::uuid and held.organization_id = m.organization_id and held.user_id = m.user_id`.execute(
    tx,
  );

export const listPermissions = (db: Db) =>
  db.selectFrom('permissions').select(['name', 'description', 'created_at']).orderBy(sql`name collate "C"`).execute();

export const findPermission = (tx: Tx, name: string) =>
  tx
    .selectFrom('permissions')
    .select(['name', 'description', 'created_at'])
    .where('name', '=', name)
    .executeTakeFirst();

export async function countPermissions(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('permissions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns those of `names` that are declared permissions of the product. */
export async function findDeclared(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('permissions')
    .select('name')
    .where('name', '=', sql<string>`any (${names}::text[])`)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** A declared permission keeps the time of its creation. */
export const upsertPermission = (
  tx: Tx,
  { name, description, now }: { name: string; description: string | null; now: Date },
) =>
  tx
    .insertInto('permissions')
    .values({ name, description, created_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ description }))
    .execute();

export async function deletePermission(tx: Tx, name: string): Promise<boolean> {
  const row = await tx.deleteFrom('permissions').where('name', '=', name).returning('name').executeTakeFirst();
  return row !== undefined;
}

export async function removeFromRoles(tx: Tx, name: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update roles set permissions = array_remove(permissions, ${name}::text), updated_at = ${now}::timestamptz
    where id = any (array(
      select id from roles where permissions @> array[${name}::text] and deleted_at is null order by id for update
    ))
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}
