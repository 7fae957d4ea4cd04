import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { SsoConnections } from '../../platform/db/schema.ts';

export type ConnectionRow = Selectable<SsoConnections>;

/** A connection with its verified domains and its roles, both sorted. */
export interface ListedConnection extends ConnectionRow {
  readonly domains: string[];
  readonly role_ids: string[];
}

const COLUMNS = [
  'id',
  'organization_id',
  'name',
  'issuer',
  'client_id',
  'sealed_secret',
  'create_members',
  'default_role',
  'trust_idp_mfa',
  'active',
  'tested_at',
  'last_test',
  'created_at',
  'deleted_at',
] as const;

const listed = sql`${sql.join(COLUMNS.map((column) => sql.ref(`c.${column}`)))},
  array(select domain from domains where connection_id = c.id and verified_at is not null order by domain) as domains,
  array(
    select held.role_id from sso_connection_roles held join roles r on r.id = held.role_id
    where held.connection_id = c.id and r.deleted_at is null order by held.role_id
  ) as role_ids`;

/** The connections of an organization, oldest first, or one of them. Deleted ones are left out. */
export async function listConnections(
  db: Db,
  { organization_id, id }: { organization_id: string; id?: string },
): Promise<ListedConnection[]> {
  const isOne = id === undefined ? sql`true` : sql`c.id = ${id}::uuid`;
  const { rows } = await sql<ListedConnection>`
    select ${listed} from sso_connections c
    where c.organization_id = ${organization_id}::uuid and c.deleted_at is null and ${isOne}
    order by c.created_at, c.id`.execute(db);
  return rows;
}

/** Finds a connection by its id alone, for a sign-in. Returns undefined for a deleted connection. */
export async function findConnectionRow(db: Db, id: string): Promise<ListedConnection | undefined> {
  const { rows } = await sql<ListedConnection>`
    select ${listed} from sso_connections c where c.id = ${id}::uuid and c.deleted_at is null`.execute(db);
  return rows[0];
}

/**
 * For the transaction of a sign-in: locks an active connection in share mode, so that it is not deactivated, changed or
 * deleted before the new session can be seen.
 */
export const shareActiveConnection = (tx: Tx, id: string) =>
  tx
    .selectFrom('sso_connections')
    .select(['issuer', 'create_members', 'default_role', 'trust_idp_mfa'])
    .where('id', '=', id)
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();

/** Whether the connection has this verified domain. Locks the row of the domain in share mode. */
export async function shareDomain(tx: Tx, connection_id: string, domain: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('id')
    .where('connection_id', '=', connection_id)
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function countConnections(tx: Tx, organization_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('sso_connections')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds a connection, also a deleted one. Locks the row until the transaction ends. */
export const findConnectionForUpdate = (
  tx: Tx,
  { id, organization_id }: { id: string; organization_id: string },
): Promise<ConnectionRow | undefined> =>
  tx
    .selectFrom('sso_connections')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks the connection that has the domain, if any, until the transaction ends. Requires the organization's lock. */
export const lockConnectionOfDomain = (tx: Tx, { id, organization_id }: { id: string; organization_id: string }) =>
  tx
    .selectFrom('sso_connections')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('domains')
        .select('connection_id')
        .where('id', '=', id)
        .where('organization_id', '=', organization_id),
    )
    .forNoKeyUpdate()
    .execute();

export const insertConnection = (tx: Tx, row: Insertable<SsoConnections>) =>
  tx.insertInto('sso_connections').values(row).execute();

type ChangedColumns = Partial<
  Pick<
    ConnectionRow,
    | 'name'
    | 'issuer'
    | 'client_id'
    | 'sealed_secret'
    | 'create_members'
    | 'default_role'
    | 'trust_idp_mfa'
    | 'active'
    | 'tested_at'
  >
> & { readonly last_test?: null };

export const updateConnection = (tx: Tx, id: string, changes: ChangedColumns) =>
  tx.updateTable('sso_connections').set(changes).where('id', '=', id).execute();

/** Clears `create_members` in organizations whose only active owner this is. Returns the changed connections. */
export async function clearCreateMembers(
  tx: Tx,
  { owner_id, except }: { owner_id: string; except: string | undefined },
): Promise<Pick<ConnectionRow, 'id' | 'organization_id' | 'issuer' | 'client_id'>[]> {
  const { rows } = await sql<Pick<ConnectionRow, 'id' | 'organization_id' | 'issuer' | 'client_id'>>`
    with locked_organizations as (
      select o.id from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = ${owner_id}::uuid and m.role = 'owner' and m.revoked_at is null
        and not exists (
          select from memberships other join users u on u.id = other.user_id and u.status = 'active'
          where other.organization_id = o.id and other.user_id <> m.user_id and other.role = 'owner'
            and other.revoked_at is null
        )
      order by o.id for share of o
    ), locked_connections as (
      select c.id from sso_connections c join locked_organizations o on o.id = c.organization_id
      where c.create_members and c.deleted_at is null and c.id is distinct from ${except ?? null}::uuid
      order by c.id for no key update of c
    )
    update sso_connections c set create_members = false from locked_connections locked where c.id = locked.id
    returning c.id, c.organization_id, c.issuer, c.client_id`.execute(tx);
  return rows;
}

interface Tested {
  readonly id: string;
  readonly settings: Pick<ConnectionRow, 'issuer' | 'client_id' | 'sealed_secret'>;
  readonly ok: boolean;
  readonly detail: string;
  readonly now: Date;
}

/**
 * Stores the result of a test. A passed one allows activation. Returns false, and stores nothing, if the connection was
 * deleted, or its issuer, client or secret were changed since the test began.
 */
export async function updateTested(tx: Tx, { id, settings, ok, detail, now }: Tested): Promise<boolean> {
  const row = await tx
    .updateTable('sso_connections')
    .set({ last_test: JSON.stringify({ ok, detail, at: now.toISOString() }), ...(ok && { tested_at: now }) })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('issuer', '=', settings.issuer)
    .where('client_id', '=', settings.client_id)
    .where('sealed_secret', 'is not distinct from', settings.sealed_secret)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export const unlinkAll = (tx: Tx, connection_id: string) =>
  tx.deleteFrom('sso_identities').where('connection_id', '=', connection_id).execute();

/** Deletes the secret, the roles and the linked accounts at once, and frees the domains. */
export async function deleteConnection(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('sso_connections')
    .set({ deleted_at: now, active: false, sealed_secret: null, tested_at: null, last_test: null })
    .where('id', '=', id)
    .execute();
  await tx.deleteFrom('sso_connection_roles').where('connection_id', '=', id).execute();
  await unlinkAll(tx, id);
  await tx.updateTable('domains').set({ connection_id: null }).where('connection_id', '=', id).execute();
}

export const deleteOldConnections = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'sso_connections',
    where: sql`deleted_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`deleted_at`,
    limit,
  });

export async function updateConnectionRoles(tx: Tx, connection_id: string, role_ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('sso_connection_roles').where('connection_id', '=', connection_id).execute();
  if (role_ids.length === 0) return;
  await tx
    .insertInto('sso_connection_roles')
    .values(role_ids.map((role_id) => ({ connection_id, role_id })))
    .execute();
}

export const listConnectionRoles = (tx: Tx, connection_id: string) =>
  tx
    .selectFrom('sso_connection_roles as held')
    .innerJoin('roles as r', 'r.id', 'held.role_id')
    .select(['r.id', 'r.permissions'])
    .where('held.connection_id', '=', connection_id)
    .where('r.deleted_at', 'is', null)
    .orderBy('r.id')
    .execute();

/** Locks the domains of the organization that a connection has or gets, in the order of their ids. */
export const lockConnectionDomains = (
  tx: Tx,
  {
    organization_id,
    connection_id,
    names,
  }: { organization_id: string; connection_id: string; names: readonly string[] },
) =>
  tx
    .selectFrom('domains')
    .select(['id', 'domain', 'verified_at', 'connection_id'])
    .where('organization_id', '=', organization_id)
    .where((eb) =>
      eb.or([eb('connection_id', '=', connection_id), eb('domain', '=', sql<string>`any (${names}::text[])`)]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/** Assigns domains to a connection. Null: removes them from their connection. */
export const updateDomainConnection = (tx: Tx, ids: readonly string[], connection_id: string | null) =>
  tx.updateTable('domains').set({ connection_id }).where('id', '=', sql<string>`any (${ids}::uuid[])`).execute();

export async function hasUsableConnection(tx: Tx, organization_id: string): Promise<boolean> {
  const { rows } = await sql<{ usable: boolean }>`
    select exists (
      select from sso_connections c join domains d on d.connection_id = c.id
      where c.organization_id = ${organization_id}::uuid and c.active and c.deleted_at is null
        and d.verified_at is not null
    ) as usable`.execute(tx);
  return rows[0]!.usable;
}

export interface SealedSecrets {
  readonly key_id: string;
  readonly count: number;
}

export async function countSecretsByKey(db: Db): Promise<SealedSecrets[]> {
  const { rows } = await sql<SealedSecrets>`
    select split_part(sealed_secret, ':', 2) as key_id, count(*)::int as count from sso_connections
    where sealed_secret is not null group by 1 order by 1`.execute(db);
  return rows;
}
