import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { Schema } from '../../platform/db/schema.ts';

/** A session that counts: not ended, its user active, its organization not suspended, its membership alive. */
export const findLiveSession = (db: Db, id: string, now: Date) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 's.organization_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .select([
      's.id as session_id',
      's.user_id',
      's.organization_id',
      's.auth_method',
      's.aal',
      's.auth_time',
      's.mfa_verified_at',
      's.expires_at',
      'u.email',
      'u.email_verified_at',
      'u.display_name',
      'u.platform_role',
      'm.role',
    ])
    .where('s.id', '=', id)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .where('u.status', '=', 'active')
    .where('o.suspended_at', 'is', null)
    .where('m.revoked_at', 'is', null)
    .executeTakeFirst();

export const insertSigningKey = (tx: Tx, row: Insertable<Schema['signing_keys']>) =>
  tx.insertInto('signing_keys').values(row).execute();

export const listSigningKeys = (db: Db) => db.selectFrom('signing_keys').selectAll().orderBy('signs_from').execute();

/** Told once: a key that already has an end keeps it. */
export const updateSigningKeyEnd = (tx: Tx, kid: string, published_until: Date) =>
  tx
    .updateTable('signing_keys')
    .set({ published_until })
    .where('kid', '=', kid)
    .where('published_until', 'is', null)
    .execute();

/** A key whose secret is lost vouches for nothing any more. Its sealed text stays until it is swept. */
export const retireSigningKeys = (tx: Tx, kids: readonly string[], now: Date) =>
  tx
    .updateTable('signing_keys')
    .set({ published_until: now })
    .where('kid', 'in', kids)
    .where((eb) => eb.or([eb('published_until', 'is', null), eb('published_until', '>', now)]))
    .returning('kid')
    .execute();

export const updateSealedKey = (tx: Tx, kid: string, from: string, to: string) =>
  tx
    .updateTable('signing_keys')
    .set({ sealed_private_key: to })
    .where('kid', '=', kid)
    .where('sealed_private_key', '=', from)
    .execute();

export const listRevocations = (db: Db, now: Date) =>
  db
    .selectFrom('revocations')
    .select(['sid', 'revoked_at', 'expires_at'])
    .where('expires_at', '>', now)
    .orderBy('revoked_at')
    .orderBy('sid')
    .execute();

/** Families in force, up to a number, and the feed's entries for those with a living access token. Returns how many. */
export async function revokeAnySessions(tx: Tx, now: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ended as (
      update sessions set revoked_at = ${now}
      where id in (select id from sessions where revoked_at is null and expires_at > ${now} limit ${limit} for update)
      returning id, access_expires_at
    ), published as (
      insert into revocations (sid, revoked_at, expires_at)
      select id, ${now}, access_expires_at from ended where access_expires_at > ${now}
      on conflict (sid) do nothing
    )
    select count(*) as count from ended`.execute(tx);
  return rows[0]!.count;
}

export async function deleteExpiredRevocations(db: Db, now: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from revocations where sid in (select sid from revocations where expires_at < ${now} limit ${limit})`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}

export async function deleteDeadSigningKeys(db: Db, now: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from signing_keys where kid in (select kid from signing_keys where published_until < ${now} limit ${limit})`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}
