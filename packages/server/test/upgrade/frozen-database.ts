import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { createTestClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startTestApp, type TestApp } from '../harness.ts';
import type { Known, SETTINGS } from './fill.ts';

/** Contains a folder for each release, created by freeze.ts. */
export const FROZEN = join(import.meta.dirname, 'frozen');

interface Kept extends Known {
  /** The time of the test clock when the database was frozen. */
  readonly moment: string;
  readonly settings: typeof SETTINGS;
  readonly passphrase: string;
}

export const keptOf = (release: string): Kept => JSON.parse(readFileSync(join(FROZEN, release, 'known.json'), 'utf8'));

export async function restore(release: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(readFileSync(join(FROZEN, release, 'database.sql'), 'utf8'));
  await client.end();
  return database;
}

export function unpackExport(release: string, folder: string): void {
  const files: Record<string, string> = JSON.parse(
    gunzipSync(readFileSync(join(FROZEN, release, 'export.gz'))).toString(),
  );
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Starts this version on a restored database, with the settings of its release, a minute after it was frozen. */
export const startOn = (database: TestDatabase, kept: Kept, environment = {}): Promise<TestApp> =>
  startTestApp({
    database,
    clock: createTestClock(new Date(new Date(kept.moment).getTime() + 60_000)),
    environment: { ...kept.settings, ...environment },
  });
