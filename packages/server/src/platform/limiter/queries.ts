import { type RawBuilder, sql } from 'kysely';
import type { Quota } from '../config/kinds.ts';
import type { Db, Tx } from '../db/connect.ts';
import { deleteSome } from '../db/delete-some.ts';

/** One row of `rate_counters`. The key is a hash that does not reveal the subject. */
export interface Counter {
  readonly key: Buffer;
  readonly quota: Quota;
  /** Counts consecutive failures: each one restarts the window until the counter is full. */
  readonly inRow?: boolean;
}

export interface Count {
  readonly key: Buffer;
  readonly count: number;
  readonly resets_at: Date;
}

export const isOver = (counters: readonly Counter[], { key, count }: Count): boolean =>
  counters.some((counter) => counter.key.equals(key) && count > counter.quota.count);

// Fixed lock order, so that two requests never wait for each other.
const inOrder = (counters: readonly Counter[]): Counter[] =>
  [...counters].sort((left, right) => Buffer.compare(left.key, right.key));

/**
 * Counts before it returns the new counts, so that concurrent requests never see the same number. A fragment for use in
 * larger statements: counts only if `source`, another part of the statement, has a row.
 */
export const countEach = (
  counters: readonly Counter[],
  now: Date,
  { source = sql`(select 1) as always`, times = 1 }: { source?: RawBuilder<unknown>; times?: number } = {},
): RawBuilder<Count> => {
  const rows = inOrder(counters).map(
    ({ key, quota }) => sql`(${key}::bytea, ${now}::timestamptz + ${quota.window}::int * interval '1 second')`,
  );
  const restarting = counters
    .filter(({ inRow }) => inRow)
    .map(({ key, quota }) => sql`or counter.key = ${key}::bytea and counter.count < ${quota.count}::int`);
  return sql<Count>`
    insert into rate_counters as counter (key, count, resets_at)
    select given.key, ${times}::int, given.ends from (values ${sql.join(rows)}) as given (key, ends)
    where exists (select from ${source})
    on conflict (key) do update set
      count = case when counter.resets_at <= ${now}::timestamptz then excluded.count
        else least(counter.count, 1000000000) + excluded.count end,
      resets_at = case when counter.resets_at <= ${now}::timestamptz ${sql.join(restarting, sql` `)}
        then excluded.resets_at else counter.resets_at end
    returning key, count, resets_at`;
};

/** When the last full counter resets; null if none is full. A fragment for a select list. */
export const fullUntil = (counters: readonly Counter[], now: Date): RawBuilder<Date | null> => {
  const full = counters.map(({ key, quota }) => sql`(key = ${key}::bytea and count >= ${quota.count}::int)`);
  return sql<Date | null>`(select max(resets_at) from rate_counters
    where (${sql.join(full, sql` or `)}) and resets_at > ${now}::timestamptz)`;
};

/** Has a row if the count in `counted`, another part of the statement, is the one that filled this counter. */
export const filledBy = ({ key, quota }: Counter, counted: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select from ${counted} where key = ${key}::bytea and count = ${quota.count}::int) as filled`;

export async function updateCounters(db: Db, counters: readonly Counter[], now: Date, times = 1): Promise<Count[]> {
  const { rows } = await countEach(counters, now, { times }).execute(db);
  return rows;
}

export async function findFullUntil(db: Db, counters: readonly Counter[], now: Date): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`select ${fullUntil(counters, now)} as until`.execute(db);
  return rows[0]!.until;
}

/** Takes back an event that was counted in advance and did not happen. Does nothing if its window has ended. */
export const uncount = (db: Db, { key }: Counter, resets_at: Date) =>
  sql`update rate_counters set count = count - 1
    where key = ${key}::bytea and count > 0 and resets_at = ${resets_at}::timestamptz`.execute(db);

/** Resets a counter of consecutive failures, or returns until when it is full. Locks the row first. */
export async function deleteCounter(db: Db, { key, quota }: Counter, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`
    with locked_counter as materialized (
      select key, resets_at, count >= ${quota.count}::int and resets_at > ${now}::timestamptz as is_full
      from rate_counters where key = ${key}::bytea for update
    ),
    deleted_counter as (delete from rate_counters where key = (select key from locked_counter where not is_full))
    select resets_at as until from locked_counter where is_full`.execute(db);
  return rows[0]?.until ?? null;
}

/** Locks the counters in the order of their keys, like `countEach` (avoids deadlocks). */
export const deleteCounters = (tx: Tx, counters: readonly Counter[]) =>
  sql`delete from rate_counters where key = any (array(
    select key from rate_counters where key in (${sql.join(counters.map(({ key }) => sql`${key}::bytea`))})
    order by key for update
  ))`.execute(tx);

export const deleteExpiredCounters = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'rate_counters', where: sql`resets_at < ${now}`, oldest: sql`resets_at`, limit });
