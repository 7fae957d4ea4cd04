import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { TransferFailure, withFile } from './failure.ts';
import { FORMAT, fileOf, type Left, MANIFEST, type Manifest, type ManifestFile, renderManifest } from './manifest.ts';
import { deriveKey, type Kdf } from './passphrase-key.ts';
import {
  closeRows,
  countRows,
  fetchLines,
  findGreatestAuditId,
  inSnapshot,
  isHalfImported,
  listColumns,
  listEmails,
  openRows,
} from './queries.ts';
import { type Keyrings, type Move, sealForExport } from './reseal.ts';
import { LEFT, MOVED, type MovedTable } from './tables.ts';

/** Starts a progress display. */
export type Follow = (label: string, total: number) => { add(count: number): void; done(): void };

export interface Exporting {
  readonly db: Db;
  readonly folder: string;
  readonly passphrase: string;
  readonly kdf: Kdf;
  readonly keyrings: Keyrings;
  readonly now: Date;
  readonly service: Pick<Manifest, 'gatehouse_version' | 'schema_version' | 'public_base_url'>;
  readonly follow: Follow;
  readonly signal: AbortSignal;
}

const BATCH_ROWS = 1_000;
/** Avatars are much larger than other rows. */
const AVATAR_BATCH_ROWS = 50;
/** How many owners of values that could not be decrypted the manifest lists. */
const MAX_LISTED = 100;
const OWNER_ONLY = 0o600;
const GROUP_AND_OTHERS = 0o077;

/** Creates the folder if needed, and fails unless it is empty. Returns true if other users can access it. */
export async function prepareFolder(folder: string): Promise<boolean> {
  const { found, mode } = await withFile(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { found: await readdir(folder), mode: (await stat(folder)).mode };
  });
  if (found.length === 0) return (mode & GROUP_AND_OTHERS) !== 0;
  if (found.some((name) => name.endsWith('.part')) && !found.includes(MANIFEST)) {
    throw new TransferFailure(`${folder} contains an interrupted export. Delete it, or use another folder.`);
  }
  throw new TransferFailure(`${folder} is not empty. Use a new or empty folder.`);
}

/** `export`: reads one snapshot, so the service can keep running. A folder without a manifest is incomplete. */
export async function writeExport(exporting: Exporting): Promise<Manifest> {
  const { db, folder, now, keyrings, passphrase, kdf, service } = exporting;
  const move: Move = { export_id: uuid(), key: await deriveKey(passphrase, kdf), keyrings };
  const contents = await inSnapshot(db, async (tx) => {
    await requireNoPartialImport(tx);
    const files: ManifestFile[] = [];
    for (const table of MOVED) files.push(await writeTable(tx, exporting, move, table));
    return { files, greatest_audit_id: await findGreatestAuditId(tx), not_moved: await listLeft(tx) };
  });
  const manifest: Manifest = {
    format: FORMAT,
    export_id: move.export_id,
    created_at: now.toISOString(),
    ...service,
    kdf,
    ...contents,
  };
  await writeAtomically(join(folder, MANIFEST), (append) => append(renderManifest(move.key, manifest)));
  return manifest;
}

async function requireNoPartialImport(tx: Tx): Promise<void> {
  if (await isHalfImported(tx)) {
    throw new TransferFailure('An import into this database was interrupted. Run it again first.');
  }
}

async function writeTable(
  tx: Tx,
  { folder, follow, signal }: Exporting,
  move: Move,
  table: MovedTable,
): Promise<ManifestFile> {
  const columns = (await listColumns(tx, table.name)).filter((column) => !table.omit?.includes(column));
  const total = await countRows(tx, table.name);
  const progress = follow(table.name, total);
  const hash = createHash('sha256');
  const seen = { rows: 0, bytes: 0, sealed: 0, unopened: 0 };
  const unopened: string[] = [];
  const render = (line: string): string => {
    if (!table.sealed) return line;
    const resealed = sealForExport(move, table, line);
    if (resealed.sealed) seen.sealed++;
    if (resealed.unopened !== undefined && ++seen.unopened <= MAX_LISTED) unopened.push(resealed.unopened);
    return resealed.line;
  };
  const file = fileOf(table.name);
  await openRows(tx, table, columns);
  try {
    await writeAtomically(join(folder, file), async (append) => {
      for (;;) {
        signal.throwIfAborted();
        const lines = await fetchLines(tx, table.name === 'avatars' ? AVATAR_BATCH_ROWS : BATCH_ROWS);
        if (lines.length === 0) return;
        const bytes = Buffer.from(lines.map((line) => `${render(line)}\n`).join(''));
        await append(bytes);
        hash.update(bytes);
        seen.rows += lines.length;
        seen.bytes += bytes.length;
        progress.add(lines.length);
      }
    });
  } finally {
    progress.done();
  }
  await closeRows(tx);
  if (seen.rows !== total) throw new Error(`${table.name}: ${seen.rows} rows were written of ${total}`);
  const unopened_of = table.name === 'totp_secrets' ? await listEmails(tx, unopened) : unopened;
  return { table: table.name, file, columns, ...seen, unopened_of, sha256: hash.digest('hex') };
}

type Append = (text: string | Buffer) => Promise<void>;

/** Writes to a temporary name first. Readable only by its owner: hashes and addresses are not encrypted. */
async function writeAtomically(path: string, work: (append: Append) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  const handle = await withFile(part, () => open(part, 'wx', OWNER_ONLY));
  try {
    await work((text) => withFile(part, () => handle.appendFile(text)));
    await withFile(part, () => handle.sync());
  } finally {
    await handle.close();
  }
  await withFile(path, () => rename(part, path));
}

async function listLeft(tx: Tx): Promise<Left[]> {
  const left: Left[] = [];
  for (const { name, reason } of LEFT) left.push({ table: name, rows: await countRows(tx, name), reason });
  return left;
}
