import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { mergeCounts } from './merge-counts.ts';

it('merging counts combines rows with the same key, also among many keys, keeps the sums and terminates', async () => {
  const database = await createTestDatabase();
  const { db } = database;
  // A hundred keys with one row each sort before those to be merged.
  await sql`insert into password_counts select 'single ' || n, 1 from generate_series(1, 100) n`.execute(db);
  await sql`insert into password_counts select 'kind ' || n % 30, 1 from generate_series(1, 300) n`.execute(db);
  await sql`insert into password_counts values ('gone', 1), ('gone', -1)`.execute(db);
  const sums = sql`select head, sum(delta) as sum from password_counts group by 1 having sum(delta) <> 0 order by 1`;
  const { rows: before } = await sums.execute(db);
  const taken: number[] = [];
  do taken.push(await mergeCounts(db, { table: 'password_counts', key: 'head', limit: 20 }));
  while (taken.at(-1) === 20 && taken.length < 1_000);
  expect(taken.at(-1)).toBeLessThan(20);
  expect((await sums.execute(db)).rows).toEqual(before);
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from password_counts`.execute(db);
  expect(rows[0]!.rows).toBe(130);
  await database.close();
});
