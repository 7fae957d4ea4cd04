import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { lock } from '../../platform/db/lock.ts';
import type { ApplicationSecrets, Applications } from '../../platform/db/schema.ts';

interface SecretRow {
  readonly id: string;
  /** The hash of the secret, hexadecimal. */
  readonly hash: string;
  /** A time in the JSON format of PostgreSQL, which is not that of `Date`. */
  readonly created_at: string;
  readonly expires_at: string | null;
}

export interface ApplicationRow extends Omit<Selectable<Applications>, 'deleted_at'> {
  /** The secrets that were not deleted, oldest first. They may have expired. */
  readonly secrets: readonly SecretRow[];
}

const records = (db: Db | Tx) =>
  db
    .selectFrom('applications as a')
    .select(['a.id', 'a.client_id', 'a.name', 'a.kind', 'a.redirect_uris', 'a.post_logout_redirect_uris'])
    .select(['a.backchannel_logout_uri', 'a.scopes', 'a.resources', 'a.trusted', 'a.device_flow'])
    .select(['a.organization_id', 'a.enabled', 'a.created_at'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('application_secrets as s')
          .select(['s.id', sql<string>`encode(s.hash, 'hex')`.as('hash')])
          .select([sql<string>`s.created_at`.as('created_at'), sql<string | null>`s.expires_at`.as('expires_at')])
          .whereRef('s.application_id', '=', 'a.id')
          .where('s.revoked_at', 'is', null)
          .orderBy('s.id'),
      ).as('secrets'),
    );

export const listApplications = (db: Db): Promise<ApplicationRow[]> =>
  records(db).where('a.deleted_at', 'is', null).orderBy('a.name').orderBy('a.id').execute();

export const findApplication = (db: Db | Tx, id: string): Promise<ApplicationRow | undefined> =>
  records(db).where('a.id', '=', id).where('a.deleted_at', 'is', null).executeTakeFirst();

export const isDeletedApplication = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

export async function countApplications(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('applications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Changes of applications run one after another. */
export const lockApplications = (tx: Tx) => lock(tx, 'applications');

export const insertApplication = (tx: Tx, row: Insertable<Applications>) =>
  tx.insertInto('applications').values(row).execute();

export const updateApplication = (tx: Tx, id: string, change: Updateable<Applications>) =>
  tx.updateTable('applications').set(change).where('id', '=', id).execute();

/** Removes a permission that is deleted. Returns how many applications listed it. Requires `lockApplications`. */
export async function removeScope(tx: Tx, name: string): Promise<number> {
  const { numAffectedRows } = await sql`update applications set scopes = array_remove(scopes, ${name}::text)
    where ${name}::text = any (scopes)`.execute(tx);
  return Number(numAffectedRows);
}

export const insertSecret = (tx: Tx, row: Insertable<ApplicationSecrets>) =>
  tx.insertInto('application_secrets').values(row).execute();

/** Also finds a revoked secret. Returns undefined if the application never had a secret with this id. */
export const findSecret = (tx: Tx, { id, application_id }: { id: string; application_id: string }) =>
  tx
    .selectFrom('application_secrets')
    .select(['revoked_at'])
    .where('id', '=', id)
    .where('application_id', '=', application_id)
    .executeTakeFirst();

/** Clears the hash, so that the row is kept without key material. */
export const revokeSecret = (tx: Tx, id: string, now: Date) =>
  sql`update application_secrets set revoked_at = ${now}::timestamptz, hash = ''::bytea where id = ${id}::uuid`.execute(
    tx,
  );

export const findMissingPermissions = async (tx: Tx, names: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select given.name from unnest(${names}::text[]) as given (name)
    where not exists (select from permissions p where p.name = given.name)`.execute(tx);
  return rows.map(({ name }) => name);
};

const endedBefore = (now: Date): Date => after(now, -LIMITS.revokedKept);

export const deleteOldApplications = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'applications',
    where: sql`deleted_at < ${endedBefore(now)}`,
    oldest: sql`deleted_at`,
    limit,
  });

export const deleteOldSecrets = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'application_secrets',
    where: sql`revoked_at < ${endedBefore(now)}`,
    oldest: sql`revoked_at`,
    limit,
  });
