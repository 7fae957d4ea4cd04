import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, migrationStatus } from '../src/platform/db/migrate.ts';
import { MIGRATIONS } from '../src/platform/db/migrations/list.ts';
import { runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { SECRET } from './postgres.ts';

let folder: string;
let database: TestDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-migrate-'));
  database = await createTestDatabase({ empty: true });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => {
  const env = { DATABASE_URL: database.url, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' };
  return runHere(['migrate', ...args], { cwd: folder, env });
};

describe('migrate', () => {
  it('--check on an empty database exits with 1, lists each migration, and changes nothing', async () => {
    const { code, stdout, stderr } = await run('--check');
    expect(code).toBe(1);
    expect(stdout.trim().split('\n')).toHaveLength(MIGRATIONS.length + 1);
    expect(stderr.trim()).toMatch(new RegExp(`^✗ ${MIGRATIONS.length} pending. Run: node /.*/gatehouse.mjs migrate$`));
    expect((await migrationStatus(database.db)).applied).toEqual([]);
  });

  it('--check lists pending statements and their locks; migrate applies them and prints durations; --check exits with 0 afterwards', async () => {
    await migrate(database.address, new Date(), undefined, MIGRATIONS.slice(0, 6));
    const asked = await run('--check');
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain('pending  7 scale\n  create index users_list_idx on users (id) include (status)\n');
    expect(asked.stdout).toMatch(/^ {4}users {2}SHARE +writes wait +0 rows +\d+ kB {2}for a moment$/m);
    expect((await run('--status')).stdout).toMatch(/applied {2}6 console {2}2.*\npending {2}7 scale\n/);
    const done = await run();
    expect(done.stdout).toMatch(
      /^applying 7 scale …\n(applying .*\n)*✓ Applied \d+ \(7: \d+\.\d\d s(, \d+: \d+\.\d\d s)*\)\.\n$/,
    );
    expect(await run('--check')).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });

  it('without DATABASE_URL creates the embedded database', async () => {
    const env = { JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' };
    const { code, stdout } = await runHere(['migrate'], { cwd: folder, env });
    expect(code).toBe(0);
    expect(stdout).toContain(`✓ Applied ${MIGRATIONS.length} `);
    expect(existsSync(join(folder, 'data/postgres/PG_VERSION'))).toBe(true);
  });
});
