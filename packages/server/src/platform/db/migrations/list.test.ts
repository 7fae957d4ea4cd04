import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf } from '@gatehouse/migrate';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { actualLocks, listTableStates, predictedLocks } from '../../../../../migrate/src/locks-fixture.ts';
import { type Indexes, readMigration } from '../../../../../migrate/src/read-migration.ts';
import { createTestDatabase } from '../../../../test/database.ts';
import { HISTORY } from './history.ts';
import { MIGRATIONS } from './list.ts';
import { RELEASES } from './releases.ts';

describe('our migrations', () => {
  it('migrations are numbered without gaps, each in a file with its number and name', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    const files = readdirSync(import.meta.dirname).filter((name) => /^\d.*(?<!\.test)\.ts$/.test(name));
    const named = MIGRATIONS.map(({ version, name }) => `${String(version).padStart(4, '0')}-${name}.ts`);
    expect(files.sort()).toEqual(named);
  });

  it('migrations allow the previous version to run at the same time, since the first release', () => {
    const [first] = RELEASES;
    const later = MIGRATIONS.filter(({ version }) => version > first!.schema);
    expect(later.flatMap((migration) => faultsOf(migration, HISTORY))).toEqual([]);
  });

  it('migrations are in the order of the releases', () => {
    const brought = RELEASES.map(({ schema }) => schema);
    expect(brought).toEqual([...brought].sort((a, b) => a - b));
    expect(brought.at(-1)).toBeLessThanOrEqual(MIGRATIONS.length);
  });

  it('the locks of all migrations are predicted, and all statements can be parsed', async () => {
    const database = await createTestDatabase({ empty: true });
    const client = new pg.Client(database.url);
    await client.connect();
    const indexes: Indexes = new Map();
    for (const migration of MIGRATIONS) {
      const steps = readMigration(migration, indexes, HISTORY.kept);
      expect(steps.filter(({ unreadable }) => unreadable)).toEqual([]);
      await client.query('begin');
      const before = await listTableStates(client);
      for (const { text } of steps) await client.query(text.replace(' concurrently ', ' '));
      if ('sql' in migration) {
        const locks = await actualLocks(client, before);
        expect({ [migration.name]: predictedLocks(steps) }).toEqual({ [migration.name]: locks });
      }
      await client.query('commit');
    }
    await client.end();
    await database.close();
  });
});

describe('select *', () => {
  // A prepared statement fails in the previous version once its result has more columns.
  it('is not used, so that a new column does not affect the previous version', () => {
    const source = join(import.meta.dirname, '../../..');
    const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) =>
      /(?<!test|fixture)\.ts$/.test(name),
    );
    const schema = MIGRATIONS.map((migration) => ('sql' in migration ? migration.sql : '')).join();
    const tables = [...schema.matchAll(/create table (\w+)/g)].map((match) => match[1]);
    // `create temp table … as select * from` is allowed: it runs once, so no prepared statement is reused later.
    const all = new RegExp(
      `\\.(selectAll|returningAll)\\(|returning \\*|(?<! as )select \\* from (${tables.join('|')})\\b`,
    );
    const matching = files.filter((name) => all.test(readFileSync(join(source, name), 'utf8')));
    expect(files.length).toBeGreaterThan(200);
    expect(matching).toEqual([]);
  });
});
