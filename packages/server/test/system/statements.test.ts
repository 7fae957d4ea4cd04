import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createTestDatabase } from '../database.ts';

/** Ignored codes: tests also use tables, columns and keys of their own or an older schema, and untyped parameters. */
const NOT_IN_THIS_SCHEMA = new Set(['42P01', '42703', '42P10', '42P18']);

/** Catalogs differ between versions of PostgreSQL, so no error of a statement that reads them is ignored. */
const CATALOG = /\b(pg_\w+|information_schema)\b/;

function sentStatements(): Set<string> {
  const folder = inject('statements');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
  return new Set(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string));
}

// A run of single test files checks only the statements of these files.
it('the installed PostgreSQL accepts every statement that the tests sent to the embedded one', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  const refused: string[] = [];
  for (const text of sentStatements()) {
    await client.query(`prepare statement as ${text}`).then(
      () => client.query('deallocate statement'),
      ({ code, message }: pg.DatabaseError) => {
        if (!NOT_IN_THIS_SCHEMA.has(code!) || CATALOG.test(text)) refused.push(`${code} ${message}: ${text}`);
      },
    );
  }
  await client.end();
  await database.close();
  expect(refused).toEqual([]);
});
