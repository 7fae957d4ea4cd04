import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

export interface Hit {
  key: Buffer;
  now: Date;
  resets_at: Date;
}

/** Counts first and tells the new count: parallel requests can never see the same number. */
export async function updateCounter(db: Db, hit: Hit): Promise<{ count: number; resets_at: Date }> {
  const { rows } = await sql<{ count: number; resets_at: Date }>`
    insert into rate_counters as counter (key, count, resets_at) values (${hit.key}, 1, ${hit.resets_at})
    on conflict (key) do update set
      count = case when counter.resets_at <= ${hit.now} then 1 else least(counter.count, 1000000000) + 1 end,
      resets_at = case when counter.resets_at <= ${hit.now} then excluded.resets_at else counter.resets_at end
    returning count, resets_at`.execute(db);
  return rows[0]!;
}

export async function deleteExpiredCounters(db: Db, now: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from rate_counters where key in (select key from rate_counters where resets_at < ${now} limit ${limit})`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}
