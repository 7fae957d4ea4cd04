import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from './database.ts';
import { renderSchemaTypes } from './schema-types.ts';

it('the types of the tables match the migrations', async () => {
  const database = await createTestDatabase();
  const text = await renderSchemaTypes(database).finally(() => database.close());
  await expect(text).toMatchFileSnapshot('../src/platform/db/schema.ts');
});

it('a change of a table changes its type, and a JSON column must have a declared type', async () => {
  const database = await createTestDatabase();
  const lineAfter = async (change: string, column: string) => {
    await sql.raw(change).execute(database.db);
    const text = await renderSchemaTypes(database);
    return new RegExp(`interface Milestones \\{[^}]*?^  ${column}: (.*);$`, 'm').exec(text)?.[1];
  };
  const add = (column: string) => `alter table milestones add column ${column}`;
  expect(await lineAfter(add('a bigint'), 'a')).toBe('number | null');
  expect(await lineAfter(add(`b text[] not null default '{}'`), 'b')).toBe('Generated<string[]>');
  expect(await lineAfter(add(`c text check (c in ('x', 'y'))`), 'c')).toBe("'x' | 'y' | null");
  expect(await lineAfter(add('d bigint generated always as identity'), 'd')).toBe('ColumnType<number, never, never>');
  expect(await lineAfter('alter table milestones drop column a', 'a')).toBeUndefined();
  await expect(lineAfter(add('e jsonb'), 'e')).rejects.toThrow('milestones.e is jsonb: add its type');
  await database.close();
});
