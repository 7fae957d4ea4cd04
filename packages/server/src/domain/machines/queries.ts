import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { ApiKeys, ServiceAccounts } from '../../platform/db/schema.ts';
import type { KeyState } from '../kernel/machine.ts';
import type { HeldRoles } from '../kernel/permissions.ts';
import { permsAt } from '../roles/queries.ts';

/** The roles of the service account `a`, as a column of the statement that reads it. */
export const accountRoles = sql<HeldRoles | null>`(
  select json_build_object('roles', array_agg(distinct r.slug),
    'permissions', coalesce(array_agg(distinct granted.name) filter (where granted.name is not null), '{}'))
  from service_account_roles held join roles r on r.id = held.role_id
    left join lateral unnest(r.permissions) as granted (name) on true
  where held.service_account_id = a.id
  having count(*) > 0)`;

const endsAt = sql<Date | null>`least(k.expires_at, k.overlap_ends_at)`;

/** Returns a key, ended ones too, with everything that its validity and permissions depend on. */
export const findKeyState = (
  db: Db,
  by: { readonly public_id: string } | { readonly sid: string },
): Promise<KeyState | undefined> =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('service_accounts as a', 'a.id', 'k.service_account_id')
    .innerJoin('organizations as o', 'o.id', 'a.organization_id')
    .select(['k.id as key_id', 'k.public_id', 'k.secret_hash', 'k.sid', 'k.scopes', 'k.allowed_ips'])
    .select(['k.allowed_referrers', 'k.revoked_at', 'k.last_used_at', endsAt.as('ends_at')])
    .select(['a.id as service_account_id', 'a.organization_id', 'a.name', 'a.disabled_at', 'a.deleted_at'])
    .select(['o.suspended_at', accountRoles.as('held'), permsAt.as('perms_at')])
    .$if('public_id' in by, (query) => query.where('k.public_id', '=', (by as { public_id: string }).public_id))
    .$if('sid' in by, (query) => query.where('k.sid', '=', (by as { sid: string }).sid))
    .executeTakeFirst();

/** Sets `last_used_at`, at most once per `every` seconds. Two statements: neither waits for locks of the other. */
export async function updateMachinesUsed(
  db: Db,
  { keys, accounts, now, every }: { keys: readonly string[]; accounts: readonly string[]; now: Date; every: number },
): Promise<void> {
  for (const [table, ids] of [
    ['service_accounts', accounts],
    ['api_keys', keys],
  ] as const) {
    await sql`update ${sql.table(table)} set last_used_at = ${now}::timestamptz where id = any (array(
      select id from ${sql.table(table)} where id = any (${ids}::uuid[])
        and coalesce(last_used_at, '-infinity') <= ${now}::timestamptz - ${every}::int * interval '1 second'
      order by id for no key update
    ))`.execute(db);
  }
}

const described = (db: Db, organization_id: string) =>
  db
    .selectFrom('service_accounts as a')
    .select(['a.id', 'a.organization_id', 'a.name', 'a.description', 'a.created_by', 'a.created_at'])
    .select(['a.last_used_at', 'a.disabled_at'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('service_account_roles as held')
          .innerJoin('roles as r', 'r.id', 'held.role_id')
          .select(['r.id', 'r.slug', 'r.name'])
          .whereRef('held.service_account_id', '=', 'a.id'),
      ).as('roles'),
    )
    .where('a.organization_id', '=', organization_id)
    .where('a.deleted_at', 'is', null);

export type AccountRow = Awaited<ReturnType<typeof listAccounts>>[number];

export const listAccounts = (db: Db, organization_id: string) =>
  described(db, organization_id).orderBy('a.name').orderBy('a.id').execute();

interface AccountKey {
  readonly id: string;
  readonly organization_id: string;
}

export const findAccount = (db: Db, { id, organization_id }: AccountKey) =>
  described(db, organization_id).where('a.id', '=', id).executeTakeFirst();

/** Returns deleted accounts too. Locks the row until the transaction ends, which serializes the writes of its keys. */
export const findAccountForUpdate = (tx: Tx, { id, organization_id }: AccountKey) =>
  tx
    .selectFrom('service_accounts')
    .select(['id', 'organization_id', 'name', 'description', 'disabled_at', 'deleted_at'])
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks the row in share mode: the account is not disabled or deleted until the transaction ends. */
export const shareAccount = (tx: Tx, id: string) =>
  tx.selectFrom('service_accounts').select('id').where('id', '=', id).forShare().execute();

export async function countAccounts(tx: Tx, organization_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('service_accounts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

export const insertAccount = (tx: Tx, account: Insertable<ServiceAccounts>) =>
  tx.insertInto('service_accounts').values(account).execute();

type AccountUpdate = Partial<Pick<Selectable<ServiceAccounts>, 'name' | 'description' | 'disabled_at' | 'deleted_at'>>;

export const updateAccount = (tx: Tx, id: string, change: AccountUpdate) =>
  tx.updateTable('service_accounts').set(change).where('id', '=', id).execute();

/** What the roles of an account allow. Locks these roles in share mode. */
export const lockAccountRoles = (tx: Tx, service_account_id: string) =>
  tx
    .selectFrom('service_account_roles as held')
    .innerJoin('roles as r', 'r.id', 'held.role_id')
    .select(['r.id', 'r.permissions'])
    .where('held.service_account_id', '=', service_account_id)
    .orderBy('r.id')
    .forShare('r')
    .execute();

export async function updateAccountRoles(
  tx: Tx,
  service_account_id: string,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  if (removed.length > 0) {
    await tx
      .deleteFrom('service_account_roles')
      .where('service_account_id', '=', service_account_id)
      .where('role_id', '=', sql<string>`any (${removed}::uuid[])`)
      .execute();
  }
  if (added.length > 0) {
    await tx
      .insertInto('service_account_roles')
      .values(added.map((role_id) => ({ service_account_id, role_id })))
      .execute();
  }
}

/**
 * The acting machine as stored now, locked in share mode. Undefined if its key was revoked, its account disabled or
 * deleted, or its organization suspended. The guard has checked when the key expires.
 */
export const findActingMachine = (tx: Tx, key_id: string) =>
  tx
    .selectFrom('api_keys as k')
    .innerJoin('service_accounts as a', 'a.id', 'k.service_account_id')
    .innerJoin('organizations as o', 'o.id', 'a.organization_id')
    .innerJoin('users as creator', 'creator.id', 'a.created_by')
    .select(['a.id', 'a.name', 'k.scopes', 'o.name as organization_name', 'creator.email_verified_at'])
    .where('k.id', '=', key_id)
    .where('k.revoked_at', 'is', null)
    .where('a.disabled_at', 'is', null)
    .where('a.deleted_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .forShare(['o', 'a', 'k'])
    .executeTakeFirst();

const isLiving = (now: Date) =>
  sql<boolean>`(k.revoked_at is null and coalesce(least(k.expires_at, k.overlap_ends_at), 'infinity') > ${now}::timestamptz)`;

const KEY_COLUMNS = [
  'k.id',
  'k.public_id',
  'k.name',
  'k.scopes',
  'k.allowed_ips',
  'k.allowed_referrers',
  'k.created_at',
  'k.last_used_at',
] as const;

export type KeyRow = Awaited<ReturnType<typeof listLivingKeys>>[number];

export const listLivingKeys = (db: Db, service_account_id: string, now: Date) =>
  db
    .selectFrom('api_keys as k')
    .select(KEY_COLUMNS)
    .select(endsAt.as('ends_at'))
    .where('k.service_account_id', '=', service_account_id)
    .where(isLiving(now))
    .orderBy('k.id', 'desc')
    .execute();

export async function countLivingKeys(tx: Tx, service_account_id: string, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('api_keys as k')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('k.service_account_id', '=', service_account_id)
    .where(isLiving(now))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns ended keys too. The caller has locked the account. */
export const findKey = (
  tx: Tx,
  { id, service_account_id, now }: { id: string; service_account_id: string; now: Date },
) =>
  tx
    .selectFrom('api_keys as k')
    .select(KEY_COLUMNS)
    .select(['k.expires_at', 'k.overlap_ends_at', isLiving(now).as('is_living')])
    .where('k.id', '=', id)
    .where('k.service_account_id', '=', service_account_id)
    .executeTakeFirst();

export const insertKey = (tx: Tx, key: Insertable<ApiKeys>) => tx.insertInto('api_keys').values(key).execute();

export const updateKeyOverlap = (tx: Tx, id: string, overlap_ends_at: Date) =>
  tx.updateTable('api_keys').set({ overlap_ends_at }).where('id', '=', id).execute();

/** Selects API keys. The query has the aliases `k` for the key and `a` for its service account. */
export type KeyFilter =
  | { readonly id: string }
  | { readonly service_account_id: string }
  | { readonly created_by: string }
  | { readonly organization_ids: readonly string[] };

const matching = (which: KeyFilter): RawBuilder<unknown> => {
  if ('id' in which) return sql`k.id = ${which.id}::uuid`;
  if ('service_account_id' in which) return sql`a.id = ${which.service_account_id}::uuid`;
  if ('created_by' in which) return sql`a.created_by = ${which.created_by}::uuid`;
  return sql`a.organization_id = any (${which.organization_ids}::uuid[])`;
};

const lockedKeys = (which: KeyFilter, now: Date): RawBuilder<unknown> => sql`locked_keys as materialized (
  select k.id, k.sid, a.id as service_account_id, a.organization_id
  from api_keys k join service_accounts a on a.id = k.service_account_id
  where ${matching(which)} and ${isLiving(now)} order by k.id for no key update of k)`;

/** When all access tokens of a key that ends now have expired, with a margin for clocks that are ahead. */
const feedUntil = (now: Date): Date => after(now, 2 * LIMITS.machine.tokenLifetime);

const published = (now: Date): RawBuilder<unknown> => sql`published as (
  insert into revocations (sid, revoked_at, expires_at)
  select sid, ${now}::timestamptz, ${feedUntil(now)}::timestamptz from locked_keys on conflict (sid) do nothing)`;

interface EndedKey {
  readonly id: string;
  readonly service_account_id: string;
  readonly organization_id: string;
}

/** Ends active keys and adds their `sid` to the feed. Returns the ended keys. */
export async function revokeKeys(tx: Tx, which: KeyFilter, now: Date): Promise<EndedKey[]> {
  const { rows } = await sql<EndedKey>`
    with ${lockedKeys(which, now)},
    ended as (update api_keys k set revoked_at = ${now}::timestamptz from locked_keys where k.id = locked_keys.id),
    ${published(now)}
    select id, service_account_id, organization_id from locked_keys`.execute(tx);
  return rows;
}

/** Ends the access tokens of active keys, by the feed and by giving each key another `sid`. The keys stay valid. */
export const renewSids = (tx: Tx, which: KeyFilter, now: Date) =>
  sql`with ${lockedKeys(which, now)},
    renewed as (update api_keys k set sid = gen_random_uuid() from locked_keys where k.id = locked_keys.id),
    ${published(now)}
    select`.execute(tx);

/** Whether a key is past the overlap of its rotation and not in the feed yet. For the statement that reads the feed. */
export const hasEndedOverlap = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`exists (select from api_keys where overlap_ends_at <= ${now}::timestamptz and revoked_at is null)`;

/** Ends keys past the overlap of their rotation, and adds them to the feed: their tokens may still be valid. */
export const endOverlaps = (db: Db, now: Date) =>
  sql`with locked_keys as materialized (
      select id, sid from api_keys where overlap_ends_at <= ${now}::timestamptz and revoked_at is null
      order by id for no key update
    ), ended as (
      update api_keys k set revoked_at = k.overlap_ends_at from locked_keys where k.id = locked_keys.id
    ), ${published(now)}
    select`.execute(db);

export const deleteEndedKeys = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'api_keys',
    where: sql`least(revoked_at, expires_at, overlap_ends_at) < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`least(revoked_at, expires_at, overlap_ends_at)`,
    limit,
  });

export const deleteOldAccounts = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'service_accounts',
    where: sql`deleted_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`deleted_at`,
    limit,
  });
