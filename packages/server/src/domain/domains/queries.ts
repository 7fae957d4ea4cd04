import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Domains } from '../../platform/db/schema-sso.ts';

export type DomainRow = Omit<Selectable<Domains>, 'removed_at' | 'next_check_at'>;

const columns = [
  'id',
  'organization_id',
  'domain',
  'token',
  'connection_id',
  'created_at',
  'verified_at',
  'checked_at',
  'failing_since',
] as const;

interface DomainKey {
  readonly id: string;
  readonly organization_id: string;
}

/** The organization that has verified this domain, in its canonical form; see `domainOfEmail`. */
export const findVerifiedDomain = (db: Db, domain: string) =>
  db
    .selectFrom('domains')
    .select(['organization_id', 'connection_id'])
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();

/** Sorted by name. */
export const listDomains = (db: Db, organization_id: string): Promise<DomainRow[]> =>
  db
    .selectFrom('domains')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .orderBy(sql`domain collate "C"`)
    .execute();

/** The verified domains of an organization. Locks them until the transaction ends, so that none lapses before. */
export const lockVerifiedDomains = (tx: Tx, organization_id: string): Promise<DomainRow[]> =>
  tx
    .selectFrom('domains')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('verified_at', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .execute();

/** Gives these domains of the organization, by id, to the connection, and takes all others from it. */
export const updateConnectionDomains = (
  tx: Tx,
  { organization_id, connection_id, ids }: { organization_id: string; connection_id: string; ids: readonly string[] },
) =>
  sql`update domains set connection_id = case when id = any (${ids}::uuid[]) then ${connection_id}::uuid end
    where organization_id = ${organization_id}::uuid
      and (connection_id = ${connection_id}::uuid or id = any (${ids}::uuid[]))`.execute(tx);

export const findDomain = (db: Db, { id, organization_id }: DomainKey): Promise<DomainRow | undefined> =>
  db
    .selectFrom('domains')
    .select(columns)
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();

/** A removed one too. Locks it until the transaction ends. */
export const findDomainForUpdate = (tx: Tx, { id, organization_id }: DomainKey) =>
  tx
    .selectFrom('domains')
    .select([...columns, 'removed_at'])
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .executeTakeFirst();

export async function countDomains(tx: Tx, organization_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('domains')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A violation of its unique constraint is a domain that the organization already has. */
export const insertDomain = (tx: Tx, row: Insertable<Domains>) => tx.insertInto('domains').values(row).execute();

/** A violation of `DOMAIN_TAKEN` is a domain that another organization has verified. */
export const updateVerified = (tx: Tx, id: string, { now, next_check_at }: { now: Date; next_check_at: Date }) =>
  tx
    .updateTable('domains')
    .set({
      verified_at: sql<Date>`coalesce(verified_at, ${now}::timestamptz)`,
      checked_at: now,
      next_check_at,
      failing_since: null,
    })
    .where('id', '=', id)
    .execute();

export const DOMAIN_TAKEN = 'domains_verified_key';
export const DOMAIN_KNOWN = 'domains_organization_key';

export const updateChecked = (tx: Tx, id: string, checked_at: Date) =>
  tx.updateTable('domains').set({ checked_at }).where('id', '=', id).execute();

/** The connection keeps the domain, which has no effect until it is verified again. */
export const updateLapsed = (tx: Tx, id: string, checked_at: Date | null) =>
  tx
    .updateTable('domains')
    .set({ verified_at: null, checked_at, next_check_at: null, failing_since: null })
    .where('id', '=', id)
    .execute();

export const updateRemoved = (tx: Tx, id: string, removed_at: Date) =>
  tx
    .updateTable('domains')
    .set({ removed_at, verified_at: null, next_check_at: null, failing_since: null, connection_id: null })
    .where('id', '=', id)
    .execute();

/** Whether an active connection of the organization would still have a verified domain without this one. */
export async function hasOtherConnectedDomain(tx: Tx, { id, organization_id }: DomainKey): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from domains d join sso_connections c on c.id = d.connection_id
      where d.organization_id = ${organization_id}::uuid and d.id <> ${id}::uuid and d.verified_at is not null
        and c.active and c.deleted_at is null) as found`.execute(tx);
  return rows[0]!.found;
}

export const deleteOldDomains = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'domains',
    where: sql`removed_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`removed_at`,
    limit,
  });
