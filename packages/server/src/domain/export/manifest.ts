import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { TransferFailure, withFile } from './failure.ts';
import type { Kdf } from './passphrase-key.ts';
import { MOVED } from './tables.ts';

/** Increased when older versions cannot read the new format. */
export const FORMAT = 1;
export const MANIFEST = 'manifest.json';

export interface ManifestFile {
  readonly table: keyof Schema;
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Number of values encrypted with the passphrase. */
  readonly sealed: number;
  /** Number of values that the old service could not decrypt; they are exported unchanged. */
  readonly unopened: number;
  /** The owners of the values that could not be decrypted, up to a maximum number. */
  readonly unopened_of: readonly string[];
}

export interface Left {
  readonly table: string;
  readonly rows: number;
  readonly reason: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly export_id: string;
  readonly gatehouse_version: string;
  readonly schema_version: number;
  readonly created_at: string;
  /** Passkeys are bound to its host name. */
  readonly public_base_url: string;
  readonly kdf: Kdf;
  readonly files: readonly ManifestFile[];
  readonly greatest_audit_id: number | null;
  readonly not_moved: readonly Left[];
}

export const fileOf = (table: string): string => `${table}.ndjson`;

/** The MAC covers the checksums of all files and every other field. */
const macOf = (key: MasterKey, manifest: Manifest): Buffer =>
  hmac(key.derive('export manifest'), JSON.stringify(manifest));

export const renderManifest = (key: MasterKey, manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, mac: macOf(key, manifest).toString('hex') }, null, 2)}\n`;

export interface Unverified {
  readonly manifest: Manifest;
  readonly mac: Buffer;
}

/** Rejects what this version cannot load, before the user is asked for a passphrase. */
export async function readManifest(folder: string, schema_version: number): Promise<Unverified> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') return withFile(path, () => Promise.reject(error));
    throw new TransferFailure(
      `${folder} is not a complete export: it has no ${MANIFEST}, which is written last. ` +
        'Use the folder of a complete export, or run `export` again with another folder.',
    );
  });
  const { mac, ...manifest } = parse(path, text);
  if (manifest.format !== FORMAT) {
    throw new TransferFailure(
      `The export has format ${manifest.format}, but this version supports ${FORMAT}. Import it with another version of Gatehouse.`,
    );
  }
  if (!(manifest.schema_version <= schema_version)) {
    throw new TransferFailure(
      `The export has schema version ${manifest.schema_version} (Gatehouse ${harmless(manifest.gatehouse_version)}), but ` +
        `this version supports ${schema_version}. Update Gatehouse first.`,
    );
  }
  return { manifest, mac: Buffer.from(mac, 'hex') };
}

/** The manifest is not verified yet: control sequences must not reach the terminal. */
const harmless = (text: unknown): string =>
  String(text)
    .replace(/[^\w.+-]/g, '?')
    .slice(0, 40);

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);

function parse(path: string, text: string): Manifest & { mac: string } {
  const changed = new TransferFailure(`${path} is not a valid manifest of \`export\`.`);
  try {
    const read = JSON.parse(text);
    if (typeof read?.mac !== 'string' || typeof read.kdf !== 'object' || read.kdf === null) throw changed;
    if (!isNumber(read.format) || !isNumber(read.schema_version)) throw changed;
    return read;
  } catch {
    throw changed;
  }
}

/** Must be called before the content of a manifest is used. */
export function verifyManifest({ manifest, mac }: Unverified, key: MasterKey): void {
  if (!equalBytes(mac, macOf(key, manifest))) {
    throw new TransferFailure('The passphrase is wrong, or the export was changed.');
  }
  const known = new Set(MOVED.map(({ name }) => fileOf(name)));
  const strange = manifest.files.find(({ table, file }) => file !== fileOf(table) || !known.has(file));
  if (strange) throw new TransferFailure(`The export contains ${strange.file}, which this version does not support.`);
}
