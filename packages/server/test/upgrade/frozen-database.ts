import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { createTestClock } from '../clock.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startTestApp, type TestApp } from '../harness.ts';
import type { Known, SETTINGS } from './fill.ts';

/** A folder for each release, made by freeze.ts. */
export const FROZEN = join(import.meta.dirname, 'frozen');

interface Kept extends Known {
  /** When it was frozen, by the clock of the service. */
  readonly moment: string;
  readonly settings: typeof SETTINGS;
  /** Of its export. */
  readonly passphrase: string;
}

export const keptOf = (release: string): Kept => JSON.parse(readFileSync(join(FROZEN, release, 'known.json'), 'utf8'));

/** A database as that release left it. */
export async function restore(release: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(readFileSync(join(FROZEN, release, 'database.sql'), 'utf8'));
  await client.end();
  return database;
}

/** Its export, as a folder. */
export function unpackExport(release: string, folder: string): void {
  const files: Record<string, string> = JSON.parse(
    gunzipSync(readFileSync(join(FROZEN, release, 'export.gz'))).toString(),
  );
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** This version on that database, with the settings of then, a minute later. */
export const startOn = (database: TestDatabase, kept: Kept, environment = {}): Promise<TestApp> =>
  startTestApp({
    database,
    clock: createTestClock(new Date(new Date(kept.moment).getTime() + 60_000)),
    environment: { ...kept.settings, ...environment },
  });
