import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { SEALED_COLUMNS } from '../crypto/sealed-columns.ts';

const database = useTestDatabase();

it('every text column whose name contains "sealed" is in the list of sealed columns, and no other', async () => {
  const { rows } = await sql<{ name: string }>`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = current_schema() and data_type = 'text' and column_name like '%sealed%'`.execute(
    database.db,
  );
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

it('the key of every sealed column is unique: rows are resealed in its order', async () => {
  const { rows } = await sql<{ name: string }>`select indrelid::regclass || '.' || attname as name
    from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
    where indisunique and indnkeyatts = 1 and indpred is null`.execute(database.db);
  const unique = new Set(rows.map(({ name }) => name));
  expect(SEALED_COLUMNS.filter(({ table, key }) => !unique.has(`${table}.${key}`))).toEqual([]);
});
