import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { lock } from '../../platform/db/lock.ts';
import type { Domains } from '../../platform/db/schema.ts';

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

export const listDomains = (db: Db, organization_id: string): Promise<DomainRow[]> =>
  db
    .selectFrom('domains')
    .select(columns)
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .orderBy(sql`domain collate "C"`)
    .execute();

export const findDomain = (db: Db, { id, organization_id }: DomainKey): Promise<DomainRow | undefined> =>
  db
    .selectFrom('domains')
    .select(columns)
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();

/** Finds a domain, also a removed one. Locks the row until the transaction ends. */
export const findDomainForUpdate = (tx: Tx, { id, organization_id }: DomainKey) =>
  tx
    .selectFrom('domains')
    .select([...columns, 'removed_at'])
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .forUpdate()
    .executeTakeFirst();

/** Serializes additions of one organization, so that concurrent requests cannot exceed the limit of domains. */
export const lockDomains = (tx: Tx, organization_id: string): Promise<void> =>
  lock(tx, `domains of ${organization_id}`);

export async function countDomains(tx: Tx, organization_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('domains')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Violates the constraint `DOMAIN_KNOWN` if the organization already has the domain. */
export const insertDomain = (tx: Tx, row: Insertable<Domains>) => tx.insertInto('domains').values(row).execute();

/** Violates the constraint `DOMAIN_TAKEN` if another organization has verified the domain. */
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

/** Claims domains whose daily check is due, until `leased_until`. No other process claims them before then. */
export async function claimDueDomains(
  db: Db,
  { now, leased_until, limit }: { now: Date; leased_until: Date; limit: number },
): Promise<DomainRow[]> {
  const due = db
    .selectFrom('domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('domains')
    .set({ next_check_at: leased_until })
    .where('id', '=', sql<string>`any (array(${due}))`)
    .returning(columns)
    .execute();
}

/** Locks the row until the transaction ends. Undefined if the domain was verified or removed since the claim. */
export const findClaimedForUpdate = (tx: Tx, { id, leased_until }: { id: string; leased_until: Date }) =>
  tx
    .selectFrom('domains')
    .select(columns)
    .where('id', '=', id)
    .where('next_check_at', '=', leased_until)
    .forUpdate()
    .executeTakeFirst();

export const updateFailing = (
  tx: Tx,
  id: string,
  changes: Pick<DomainRow, 'failing_since' | 'checked_at'> & { next_check_at: Date },
) => tx.updateTable('domains').set(changes).where('id', '=', id).execute();

export const updateChecked = (tx: Tx, id: string, checked_at: Date) =>
  tx.updateTable('domains').set({ checked_at }).where('id', '=', id).execute();

/** Makes the domain pending. It stays assigned to its connection, without effect until it is verified again. */
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

export const deleteOldDomains = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'domains',
    where: sql`removed_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`removed_at`,
    limit,
  });
