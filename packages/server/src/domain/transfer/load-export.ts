import { join } from 'node:path';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { isUnfitValue } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { deleteCounts } from '../audit/counts/queries.ts';
import { checkFiles } from './check-files.ts';
import { TransferFailure } from './failure.ts';
import { type BatchSize, readBatches } from './lines.ts';
import { fileOf, type Manifest, type ManifestFile } from './manifest.ts';
import {
  advanceProgress,
  analyze,
  countRows,
  ensureMonthsOf,
  finishProgress,
  hasRows,
  insertProgress,
  insertRows,
  isServed,
  listColumns,
  listProgress,
  prepareBatch,
  raiseAuditIds,
  whileAlone,
  withoutLimits,
} from './queries.ts';
import { type Move, sealForService } from './reseal.ts';
import { MOVED, type MovedTable } from './tables.ts';
import type { Follow } from './write-export.ts';

export interface Importing {
  /** Two connections are enough, and they must not be in a hurry. */
  readonly db: Db;
  readonly folder: string;
  /** As verified. */
  readonly manifest: Manifest;
  readonly move: Move;
  readonly now: Date;
  readonly follow: Follow;
  readonly signal: AbortSignal;
  readonly batch?: BatchSize;
}

/** `went_on`: an earlier run had begun it. `already`: an earlier run had ended it, and nothing was done. */
export type Loaded = 'loaded' | 'went_on' | 'already';

const BATCH: BatchSize = { rows: 1_000, bytes: 4 * 1024 ** 2 };
const START_ANEW = 'Start again with an empty database.';

/**
 * `import`: the rows of an export into a database that has none. Each batch and the note of how far it goes are one
 * transaction: cut off anywhere, the same command goes on there, and ends with the very same rows.
 */
export const loadExport = (asked: Importing): Promise<Loaded> => {
  const busy = new TransferFailure('Another import into this database is running. Let it come to its end.');
  return whileAlone(asked.db, busy, () => load(asked));
};

async function load(asked: Importing): Promise<Loaded> {
  const { db, manifest } = asked;
  const begun = await transact(db, (tx) => begin(tx, asked));
  if (begun === 'already') return begun;
  await checkFiles(asked);
  for (const file of inOrder(manifest)) await loadFile(asked, file, begun.lines.get(file.file) ?? 0);
  await transact(db, (tx) => end(tx, asked));
  await transact(db, (tx) => analyzeAll(tx));
  return begun.state;
}

/** What refers to another table comes after it, whatever the order in the manifest. */
const inOrder = ({ files }: Manifest): ManifestFile[] =>
  MOVED.flatMap(({ name }) => files.filter(({ table }) => table === name));

type Begun = 'already' | { state: 'loaded' | 'went_on'; lines: Map<string, number> };

async function begin(tx: Tx, { manifest, move }: Importing): Promise<Begun> {
  await withoutLimits(tx);
  const progress = await listProgress(tx, manifest.export_id);
  if (progress.length > 0 && progress.every(({ finished_at }) => finished_at !== null)) return 'already';
  if (await isServed(tx))
    throw new TransferFailure('A service runs on this database. Stop it until the import is done.');
  await refuseUnfit(tx, manifest, move);
  const lines = new Map(progress.map(({ file, lines }) => [file, lines]));
  await refuseOthers(tx, lines);
  if (progress.length > 0) return { state: 'went_on', lines };
  await insertProgress(
    tx,
    manifest.export_id,
    MOVED.map(({ name }) => fileOf(name)),
  );
  // Without rows there is nothing counted.
  await deleteCounts(tx);
  if (manifest.greatest_audit_id !== null) await raiseAuditIds(tx, manifest.greatest_audit_id);
  return { state: 'loaded', lines };
}

/** What could not be kept is said before anything is written. */
async function refuseUnfit(tx: Tx, { files }: Manifest, { keyrings }: Move): Promise<void> {
  for (const { table, columns, sealed } of files) {
    const known = new Set(await listColumns(tx, table));
    const strange = columns.find((column) => !known.has(column));
    if (strange) throw new TransferFailure(`The export has ${table}.${strange}, which this version does not know.`);
    const under = MOVED.find(({ name }) => name === table)?.sealed?.under;
    if (sealed > 0 && under && !keyrings[under]) {
      throw new TransferFailure(
        `The export holds sealed values of ${table} (${sealed}), and ${under} is not set here. Set it, so that they can be kept.`,
      );
    }
  }
}

/** Nothing is merged: there are exactly the rows that an earlier run has loaded, which is none at first. */
async function refuseOthers(tx: Tx, lines: ReadonlyMap<string, number>): Promise<void> {
  for (const { name } of MOVED) {
    const loaded = lines.get(fileOf(name)) ?? 0;
    if (loaded === 0 && (await hasRows(tx, name))) {
      throw new TransferFailure(
        `The database has rows in ${name} that are not from this export, and nothing is merged. Import into an empty one.`,
      );
    }
    if (loaded > 0 && (await countRows(tx, name)) !== loaded) {
      throw new TransferFailure(
        `Since the import was cut off, ${name} has been changed by somebody else. ${START_ANEW}`,
      );
    }
  }
}

async function loadFile(loading: Importing, file: ManifestFile, skip: number): Promise<void> {
  const { follow, signal, folder, batch = BATCH } = loading;
  const table = MOVED.find(({ name }) => name === file.table)!;
  const progress = follow(file.table, file.rows);
  progress.add(skip);
  const path = join(folder, file.file);
  let at = skip;
  try {
    for await (const lines of readBatches(path, { ...batch, skip })) {
      signal.throwIfAborted();
      await loadBatch(loading, table, { file, lines, at });
      at += lines.length;
      progress.add(lines.length);
    }
  } finally {
    progress.done();
  }
  if (at !== file.rows) throw new TransferFailure(`${file.file} has ${at} lines, and the manifest says ${file.rows}.`);
}

interface Batch {
  readonly file: ManifestFile;
  readonly lines: readonly string[];
  readonly at: number;
}

async function loadBatch(
  { db, move, manifest }: Importing,
  table: MovedTable,
  { file, lines, at }: Batch,
): Promise<void> {
  const rows = table.sealed ? lines.map((line) => sealForService(move, table, line)) : lines;
  const json = `[${rows.join(',')}]`;
  await transact(db, async (tx) => {
    await prepareBatch(tx);
    const step = { export_id: manifest.export_id, file: file.file, from: at, to: at + lines.length };
    if (!(await advanceProgress(tx, step))) throw new TransferFailure('Another import into this database is running.');
    if (table.name === 'audit_events') await ensureMonthsOf(tx, json);
    await insertRows(tx, table.name, file.columns, json);
  }).catch((error) => {
    if (!isUnfitValue(error)) throw error;
    const where = `${file.file}, lines ${at + 1} to ${at + lines.length}`;
    throw new TransferFailure(`${where}: the database does not take them (${error.message}).`, { cause: error });
  });
}

/** The planner knows nothing of so many new rows yet. */
async function analyzeAll(tx: Tx): Promise<void> {
  await withoutLimits(tx);
  for (const { name } of MOVED) await analyze(tx, name);
}

/** All of it is there, and nothing else; only then is the import over. */
async function end(tx: Tx, { manifest, now }: Importing): Promise<void> {
  await withoutLimits(tx);
  for (const { table, rows } of manifest.files) {
    const found = await countRows(tx, table);
    if (found !== rows) {
      throw new TransferFailure(
        `There are ${found} rows in ${table} now, and ${rows} in the export: somebody else has written to it. ${START_ANEW}`,
      );
    }
  }
  await finishProgress(tx, manifest.export_id, now);
}
