import { LIMITS } from '@gatehouse/contract';
import { type Insertable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';

const COLUMNS = ['id', 'name', 'user_agent', 'created_at', 'last_used_at', 'expires_at'] as const;

export const insertTrustedBrowser = (tx: Tx, row: Insertable<Schema['trusted_browsers']>) =>
  tx.insertInto('trusted_browsers').values(row).returning(COLUMNS).executeTakeFirstOrThrow();

interface Replacement {
  readonly user_id: string;
  /** The token hash of this browser, if it was already trusted. */
  readonly trust_hash: Buffer | undefined;
  /** How many other trusted browsers to keep. */
  readonly keep: number;
  readonly now: Date;
}

/**
 * Makes room for one more trusted browser: revokes this browser's own entry and the oldest ones beyond the limit. Its
 * own entry is ranked last, so that it does not displace another one. Returns the ids of the entries that were active.
 */
export async function revokeReplaced(tx: Tx, { user_id, trust_hash, keep, now }: Replacement): Promise<string[]> {
  const own = sql`token_hash = ${trust_hash ?? null}::bytea`;
  const { rows } = await sql<{ id: string }>`
    update trusted_browsers set revoked_at = ${now}::timestamptz, token_hash = null
    where id = any (array(
      select id from (
        select id, token_hash, row_number() over (order by ${own}, created_at desc, id desc) as rank
        from trusted_browsers
        where user_id = ${user_id}::uuid and revoked_at is null and expires_at > ${now}::timestamptz
      ) as active
      where ${own} or rank > ${keep}::int
    ))
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

interface Search {
  readonly user_id: string;
  readonly trust_hash: Buffer | undefined;
  readonly now: Date;
  readonly limit: number;
}

/** Active browsers, newest first. Returns whether an entry is this browser, but not the hashes. */
export const listLiveBrowsers = (db: Db, { user_id, trust_hash, now, limit }: Search) =>
  db
    .selectFrom('trusted_browsers')
    .select(COLUMNS)
    .select(sql<boolean>`coalesce(token_hash = ${trust_hash ?? null}::bytea, false)`.as('current'))
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Trusted and revoked browsers, oldest first. */
export const listBrowserRecords = (db: Db, user_id: string) =>
  db
    .selectFrom('trusted_browsers')
    .select([...COLUMNS, 'revoked_at'])
    .where('user_id', '=', user_id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Finds a trusted browser of this user, also a revoked or expired one. */
export const findOwnBrowser = (tx: Tx, { id, user_id }: { id: string; user_id: string }) =>
  tx
    .selectFrom('trusted_browsers')
    .select('token_hash')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();

/** Returns false if the entry was not active. */
export async function revokeBrowser(tx: Tx, id: string, now: Date): Promise<boolean> {
  const revoked = await tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return revoked !== undefined;
}

/** Deletes browsers whose trust ended long ago. Repeats the expression of the index, so that the index is used. */
export const deleteOldTrustedBrowsers = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'trusted_browsers',
    where: sql`coalesce(revoked_at, expires_at) < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`coalesce(revoked_at, expires_at)`,
    limit,
  });

/** Revokes every trusted browser of a user and returns them. The rows stay for a while, without the token's hash. */
export const revokeTrustedBrowsers = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();

interface Trust {
  readonly token_hash: Buffer;
  readonly user_id: string;
}

export async function isTrustedBrowserOf(db: Db, { token_hash, user_id }: Trust, now: Date): Promise<boolean> {
  return (await selectActive(db, token_hash, now).where('user_id', '=', user_id).executeTakeFirst()) !== undefined;
}

/** Whether any account trusts the browser. */
export const isTrustedBrowser = async (db: Db, token_hash: Buffer, now: Date): Promise<boolean> =>
  (await selectActive(db, token_hash, now).executeTakeFirst()) !== undefined;

const selectActive = (db: Db, token_hash: Buffer, now: Date) =>
  db
    .selectFrom('trusted_browsers')
    .select('id')
    .where('token_hash', '=', token_hash)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);
