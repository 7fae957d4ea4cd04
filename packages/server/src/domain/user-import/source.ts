import { readFile, stat } from 'node:fs/promises';
import { NIL_UUID } from '@gatehouse/contract';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { storeHashKey } from '../passwords/hashes/keys.ts';
import { readHash } from '../passwords/hashes/read-hash.ts';
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

export interface Source {
  readonly bytes: number;
  readonly entries: (onBytes?: (count: number) => void) => AsyncIterable<Entry>;
  readonly describe: Describe;
  /** Must be called before described users are inserted. */
  readonly prepare: () => Promise<void>;
  /** The number of hashes in a separate file that belong to no user. Valid once all users have been read. */
  readonly unused: () => number;
  /** The number of records in the file of password hashes that lack a user id or a hash. */
  readonly odd_hashes: number;
}

interface SourceOptions {
  readonly format: Format;
  readonly path: string;
  /** Firebase: the path of the file with the hash parameters of the project. */
  readonly hash_config?: string | undefined;
  /** Auth0: the path of the file with the password hashes. */
  readonly password_hashes?: string | undefined;
}

type SourceDeps = Pick<Deps, 'db' | 'clock' | 'keyring'>;

/** Reads everything that is needed to parse the users, but no users yet. */
export async function openSource(deps: SourceDeps, options: SourceOptions): Promise<Source> {
  if (options.format === 'keycloak') return openKeycloak(options.path);
  const { format, path } = options;
  const { hashes, odd } = await readHashes(options.password_hashes);
  const used = new Set<string>();
  return {
    bytes: (await stat(path)).size,
    entries: (onBytes) => entriesOf(format, openFile(path, onBytes)),
    ...(format === 'firebase'
      ? await openFirebase(deps, options.hash_config)
      : {
          describe: format === 'auth0' ? describeAuth0(hashes, used) : describeSupabase(deps.clock.now()),
          prepare: async () => {},
        }),
    unused: () => hashes.size - used.size,
    odd_hashes: odd,
  };
}

async function openKeycloak(path: string): Promise<Source> {
  const files = await keycloakFiles(path);
  const sizes = await Promise.all(files.map(async ({ file }) => (await stat(file)).size));
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    entries: (onBytes) => keycloakEntries(files, onBytes),
    describe: describeKeycloak(await readAliases(files)),
    prepare: async () => {},
    unused: () => 0,
    odd_hashes: 0,
  };
}

async function openFirebase(deps: SourceDeps, file: string | undefined): Promise<Pick<Source, 'describe' | 'prepare'>> {
  const config = await readConfig(file);
  // `key_id` is a placeholder until `prepare` has stored the key.
  let describe = describeFirebase({ ...config, key_id: NIL_UUID });
  return {
    describe: (record) => describe(record),
    async prepare() {
      describe = describeFirebase({ ...config, key_id: await storeKey(deps, config.signer_key) });
    },
  };
}

const storeKey = ({ db, keyring, clock }: SourceDeps, key: Buffer): Promise<string> =>
  transact(db, (tx) => storeHashKey(tx, { keyring }, key, clock.now()));

async function readConfig(file = '') {
  const text = await readFile(file, 'utf8');
  try {
    return readHashConfig(text);
  } catch (error) {
    throw error instanceof UnreadableFile ? new UnreadableFile(error.message, file) : error;
  }
}

/** All hashes by user id: the file with the users may have another order. */
async function readHashes(file: string | undefined): Promise<{ hashes: Map<string, string>; odd: number }> {
  const hashes = new Map<string, string>();
  let [odd, usable] = [0, false];
  if (file === undefined) return { hashes, odd };
  try {
    for await (const { at, value } of entriesOf('auth0', openFile(file))) {
      if (!isFields(value)) throw new UnreadableFile(`${at} is not a readable user record`);
      const found = auth0Hash(value);
      if (found) hashes.set(...found);
      else odd++;
      usable ||= found !== undefined && readHash(found[1]) !== undefined;
    }
    if (!usable) throw new UnreadableFile('it contains no supported password hash');
  } catch (error) {
    throw error instanceof UnreadableFile ? new UnreadableFile(error.message, file) : error;
  }
  return { hashes, odd };
}
