import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** Milliseconds. A statement, a wait or a forgotten transaction must not hold a request, or others, for ever. */
export const LIMITS = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/** Those that the connection does not have, ours or anybody's. */
export async function listMissingLimits(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${Object.keys(LIMITS)}::text[]) with ordinality as limits (name, place)
    where current_setting(name) = '0' order by place`.execute(db);
  return rows.map(({ name }) => name);
}
