import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { describeStatement, differences, statementsIn } from './row-types.ts';
import { isTest, ROOT, readSources } from './sources.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});

describe('the row types of raw statements', () => {
  it('match the columns that PostgreSQL describes', async () => {
    const statements = readSources()
      .filter(({ path, code }) => path.startsWith('packages/server/src/') && !isTest(path) && code.includes('sql<'))
      .flatMap(({ path }) => statementsIn(path, readFileSync(join(ROOT, path), 'utf8')));
    const faults: string[] = [];
    let compared = 0;
    for (const statement of statements) {
      const returned = await describeStatement(client, statement.text);
      if (!returned) continue;
      compared++;
      faults.push(...differences(statement, returned));
    }
    expect(faults).toEqual([]);
    // The others contain fragments that no parameter can replace.
    expect(compared).toBeGreaterThan(50);
  });

  const faultsOf = async (declared: string, text: string): Promise<string[]> => {
    const [statement] = statementsIn('a.ts', `interface Row { id: string }\nsql<${declared}>\`${text}\`;`);
    return differences(statement!, (await describeStatement(client, statement!.text))!);
  };

  it.each([
    ['{ id: string; created_at: Date }', `select id, created_at from users where id = \${id}`, []],
    ['Row & { n: number }', 'select id, count(*)::int as n from users group by id', []],
    ["{ status: 'active' | null }", 'update users set locale = null returning status', []],
    ['{ id: number }', 'select id from users', ['a.ts:2 returns id as string, not number']],
    ['{ n: number }', 'select sum(n) as n from (select 1::bigint as n) x', ['a.ts:2 returns n as string, not number']],
    [
      '{ name: string }',
      'select id from users',
      ['a.ts:2 does not return name', 'a.ts:2 returns id, which is not declared'],
    ],
  ])('a wrong declaration is reported: %s, %s', async (declared, text, faults) => {
    expect(await faultsOf(declared, text)).toEqual(faults);
  });
});
