import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { keyringsOf, SCHEMA_VERSION } from '../../src/cli/support/transfer.ts';
import { newKdf } from '../../src/domain/export/passphrase-key.ts';
import { prepareFolder, writeExport } from '../../src/domain/export/write-export.ts';
import { loadConfig } from '../../src/platform/config/load.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { VERSION } from '../../src/version.ts';
import { createTestClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startFakeProvider } from '../fake-providers/provider.ts';
import { startTestApp } from '../harness.ts';
import { findSystemPostgres } from '../system-postgres.ts';
import { BEGIN, fill, SETTINGS, withWaitingMail } from './fill.ts';
import { FROZEN } from './frozen-database.ts';

const PASSPHRASE = 'four words that nobody says';

/**
 * Run manually for a release, with the code of that release and the oldest supported PostgreSQL: `npx vitest run
 * --config packages/server/test/upgrade/freeze.config.ts`. Stores a filled database and an export, with which later
 * versions are tested.
 */
it(`freezes ${VERSION}`, async () => {
  const folder = join(FROZEN, VERSION);
  expect(existsSync(folder), 'what was released is not made again by later code').toBe(false);
  const clock = createTestClock(BEGIN);
  const github = await startFakeProvider('oauth_b', { now: clock.now, tenant: 'common' });
  const database = await createTestDatabase({ empty: true });
  await migrate(database.address, BEGIN);
  const app = await startTestApp({
    clock,
    database,
    environment: { ...SETTINGS, ...github.environment },
    realHashes: true,
  });
  const users = await fill(app, github);
  await withWaitingMail(app, users.plain.email);
  await app.close();
  mkdirSync(folder);
  const kept = { moment: clock.now(), settings: SETTINGS, passphrase: PASSPHRASE, ...users };
  writeFileSync(join(folder, 'known.json'), `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(join(folder, 'database.sql'), dump(database));
  writeFileSync(join(folder, 'export.gz'), gzipSync(JSON.stringify(await exported(database, clock.now()))));
  await github.close();
  await database.close();
  expect(readdirSync(folder)).toHaveLength(3);
}, 300_000);

/** Dumps SQL statements only, so that any client can restore them. */
function dump({ url }: TestDatabase): string {
  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--no-comments'];
  const text = execFileSync(`${findSystemPostgres()}/pg_dump`, [...options, url], { encoding: 'utf8' });
  // Since PostgreSQL 17, explicit ids in the identity column of a partition need `OVERRIDING SYSTEM VALUE`.
  return text
    .replace(/^(--.*|\\.*|)\n/gm, '')
    .replace(/^(INSERT INTO \S+) VALUES$/gm, '$1 OVERRIDING SYSTEM VALUE VALUES');
}

async function exported({ db }: TestDatabase, now: Date): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-freeze-'));
  await prepareFolder(folder);
  const service = {
    gatehouse_version: VERSION,
    schema_version: SCHEMA_VERSION,
    public_base_url: SETTINGS.PUBLIC_BASE_URL,
  };
  const asked = { db, folder, passphrase: PASSPHRASE, keyrings: keyringsOf(loadConfig(SETTINGS)), now, service };
  const follow = () => ({ add: () => {}, done: () => {} });
  await writeExport({ ...asked, kdf: newKdf(), follow, signal: new AbortController().signal });
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  rmSync(folder, { recursive: true });
  return Object.fromEntries(files);
}
