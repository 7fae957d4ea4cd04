import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { MOVED } from './tables.ts';

const database = useTestDatabase();

const ask = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(database.db)).rows;

describe('what is moved', () => {
  it('every table that a moved table refers to is also moved, and before it', async () => {
    const references = await ask(sql<{ from: string; to: string }>`
      select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`);
    const place = (table: string) => MOVED.findIndex(({ name }) => name === table);
    const moved = references.filter(({ from }) => place(from) >= 0);
    expect(moved.length).toBeGreaterThan(10);
    expect(moved.filter(({ from, to }) => place(to) < 0 || place(to) >= place(from))).toEqual([]);
  });

  it('a moved table has at most one sealed column, because a line of the export has one sealed value', () => {
    const counts = MOVED.map(({ name }) => sealedColumnsOf(name).length);
    expect(Math.max(...counts)).toBe(1);
  });

  it('every table has a unique order of rows', async () => {
    const keys = await ask(sql<{ table: string; columns: string[] }>`
      select indrelid::regclass::text as table, array_agg(attname::text order by ordinality) as columns
      from pg_index cross join unnest(indkey) with ordinality as key (attnum, ordinality)
      join pg_attribute using (attnum) where attrelid = indrelid and indisunique group by indexrelid, indrelid`);
    const unique = (table: string, order: readonly string[]) =>
      keys.some((key) => key.table === table && key.columns.every((column) => order.includes(column)));
    // Except `audit_events`: its ids are from one sequence; its key has the time only because of the partitions.
    const open = MOVED.filter(({ name, order }) => name !== 'audit_events' && !unique(name, order));
    expect(open).toEqual([]);
  });
});
