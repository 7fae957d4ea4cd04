import { readFile, stat } from 'node:fs/promises';
import { NIL_UUID } from '@gatehouse/contract';
import { transact } from '../../platform/db/transact.ts';
import { storeHashKey } from '../accounts/hashes/keys.ts';
import type { Deps } from '../context.ts';
import { auth0Hash, describeAuth0 } from './auth0.ts';
import { describeFirebase, readHashConfig } from './firebase.ts';
import { type Describe, isFields } from './foreign-user.ts';
import { entriesOf, type Format } from './formats.ts';
import { describeKeycloak } from './keycloak.ts';
import { keycloakEntries, keycloakFiles, readAliases } from './keycloak-files.ts';
import { openFile } from './open-file.ts';
import type { Entry } from './records.ts';
import { describeSupabase } from './supabase.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Where users come from. */
export interface Source {
  /** How much there is to read. */
  readonly bytes: number;
  readonly entries: (onBytes?: (count: number) => void) => AsyncIterable<Entry>;
  readonly describe: Describe;
  /** Hashes that came in a file of their own and were nobody's, once all is read. */
  readonly unused: () => number;
}

interface Asked {
  readonly format: Format;
  readonly path: string;
  /** Firebase: the file with the parameters of the project. */
  readonly hash_config?: string | undefined;
  /** Auth0: the file with the hashes. */
  readonly password_hashes?: string | undefined;
  /** Nothing is written. */
  readonly dry_run: boolean;
}

type Place = Pick<Deps, 'db' | 'clock' | 'keyring'>;

/** Reads all that is needed to understand the users, and none of them yet. */
export async function openSource(place: Place, asked: Asked): Promise<Source> {
  if (asked.format === 'keycloak') return openKeycloak(asked.path);
  const { format, path } = asked;
  const hashes = await readHashes(asked.password_hashes);
  return {
    bytes: (await stat(path)).size,
    entries: (onBytes) => entriesOf(format, openFile(path, onBytes)),
    describe: await describerOf(place, asked, hashes),
    unused: () => hashes.size,
  };
}

async function openKeycloak(path: string): Promise<Source> {
  const files = await keycloakFiles(path);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    entries: (onBytes) => keycloakEntries(files, onBytes),
    describe: describeKeycloak(await readAliases(files)),
    unused: () => 0,
  };
}

async function describerOf(place: Place, asked: Asked, hashes: Map<string, string>): Promise<Describe> {
  if (asked.format === 'auth0') return describeAuth0(hashes);
  if (asked.format === 'supabase') return describeSupabase(place.clock.now());
  const config = await readConfig(asked.hash_config);
  // A dry run needs an id that looks like one.
  const key_id = asked.dry_run ? NIL_UUID : await storeKey(place, config.signer_key);
  return describeFirebase({ ...config, key_id });
}

const storeKey = ({ db, keyring, clock }: Place, key: Buffer): Promise<string> =>
  transact(db, (tx) => storeHashKey(tx, { keyring }, key, clock.now()));

async function readConfig(file = '') {
  const text = await readFile(file, 'utf8');
  try {
    return readHashConfig(text);
  } catch (error) {
    throw error instanceof UnreadableFile ? new UnreadableFile(error.message, file) : error;
  }
}

async function readHashes(file: string | undefined): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  if (file === undefined) return hashes;
  try {
    for await (const { at, value } of entriesOf('auth0', openFile(file))) {
      if (!isFields(value)) throw new UnreadableFile(`${at} is no user that can be read`);
      const found = auth0Hash(value);
      if (found) hashes.set(...found);
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? new UnreadableFile(error.message, file) : error;
  }
  return hashes;
}
