import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { SECRET } from '../../../test/postgres.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { keyringOf, NEW_KEY, OLD_KEY } from '../provider-settings/rows-fixture.ts';
import { type Importing, loadExport } from './load-export.ts';
import { readManifest, type Unverified, verifyManifest } from './manifest.ts';
import { deriveKey, newKdf } from './passphrase-key.ts';
import type { Keyrings } from './reseal.ts';
import { PASSPHRASE } from './service-fixture.ts';
import { type Exporting, prepareFolder, writeExport } from './write-export.ts';

export const OLD: Keyrings = { JWT_SECRET: createKeyring(SECRET), CONFIG_ENCRYPTION_KEY: keyringOf(OLD_KEY) };
export const NEW: Keyrings = {
  JWT_SECRET: createKeyring('a secret of the new service, and of no other'),
  CONFIG_ENCRYPTION_KEY: keyringOf(NEW_KEY),
};
export const SCHEMA = 5;
const NOW = new Date('2032-01-01T00:00:00.000Z');

const silent = () => ({ add: () => {}, done: () => {} });
const never = new AbortController().signal;

export async function exportInto(place: string, db: Db, changes: Partial<Exporting> = {}) {
  const folder = mkdtempSync(join(place, 'export-'));
  const service = { gatehouse_version: '0', schema_version: SCHEMA, public_base_url: 'https://id.example.com' };
  await prepareFolder(folder);
  // A cheap key derivation keeps the tests fast.
  const kdf = { ...newKdf(), N: 2 ** 14, r: 1 };
  const given = { passphrase: PASSPHRASE, kdf, keyrings: OLD, now: NOW, service, follow: silent, signal: never };
  const manifest = await writeExport({ db, folder, ...given, ...changes });
  return { folder, manifest };
}

type Changes = Partial<Omit<Importing, 'move'>> & { keyrings?: Keyrings; passphrase?: string };

export const importFrom = async (folder: string, db: Db, changes: Changes = {}) =>
  (await importWhole(folder, db, changes)).state;

export async function importWhole(folder: string, db: Db, { keyrings = NEW, passphrase, ...changes }: Changes = {}) {
  const unverified = await readManifest(folder, SCHEMA);
  const { manifest } = unverified;
  const key = await keyFor(unverified, passphrase);
  const move = { export_id: manifest.export_id, key, keyrings };
  return loadExport({ db, folder, manifest, move, now: NOW, follow: silent, signal: never, ...changes });
}

export async function keyFor(unverified: Unverified, passphrase = PASSPHRASE) {
  const key = await deriveKey(passphrase, unverified.manifest.kdf);
  verifyManifest(unverified, key);
  return key;
}

export function emptyDatabases() {
  const made: TestDatabase[] = [];
  return {
    async create(): Promise<TestDatabase> {
      const database = await createTestDatabase();
      made.push(database);
      return database;
    },
    close: () => Promise.all(made.map((database) => database.close())),
  };
}
