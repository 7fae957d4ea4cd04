import { join } from 'node:path';
import { analyzeFilled } from '../../platform/db/analyze.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { isUnfitValue } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { beginImport, countLoaded, examineTarget, START_ANEW } from './begin-import.ts';
import { checkFiles, type Prefixes, readChecked } from './check-files.ts';
import { TransferFailure } from './failure.ts';
import { type BatchSize, readBatches } from './lines.ts';
import type { Manifest, ManifestFile } from './manifest.ts';
import {
  advanceProgress,
  countEventsAfter,
  ensureMonthsOf,
  finishProgress,
  insertRows,
  listJsonColumns,
  prepareBatch,
  whileAlone,
  withoutLimits,
} from './queries.ts';
import { type Move, sealForService } from './reseal.ts';
import { MOVED, type MovedTable } from './tables.ts';
import type { Follow } from './write-export.ts';

export interface Importing {
  /** A pool with at least two connections and without short timeouts. */
  readonly db: Db;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly move: Move;
  readonly pooled?: boolean;
  readonly now: Date;
  readonly follow: Follow;
  readonly signal: AbortSignal;
  readonly batch?: BatchSize;
}

export interface Loaded {
  /** `went_on`: continued an earlier run. `already`: an earlier run had finished, and nothing was done. */
  readonly state: 'loaded' | 'went_on' | 'already';
  /** Audit rows that the new service has written itself. They come after those of the export. */
  readonly own_events: number;
}

const BATCH: BatchSize = { rows: 1_000, bytes: 4 * 1024 ** 2 };

/** `import`: a batch and its progress commit together. After an interruption, the same command continues there. */
export const loadExport = (importing: Importing): Promise<Loaded> =>
  whileAlone(importing.db, {
    busy: new TransferFailure(
      'Another import into this database is running, or a service or command uses it. Wait until it has finished.',
    ),
    lost: new TransferFailure('The connection to the database was lost. To continue, run the same command again.'),
    work: (checkLock) => load(importing, checkLock),
  });

type Check = () => Promise<void>;

async function load(importing: Importing, checkLock: Check): Promise<Loaded> {
  const { db, manifest } = importing;
  const found = await transact(db, (tx) => examineTarget(tx, importing));
  if (found.state === 'already') return { state: found.state, own_events: 0 };
  const checked = await checkFiles(importing);
  await checkLock();
  const { state, lines } = await transact(db, (tx) => beginImport(tx, importing));
  for (const file of inOrder(manifest)) {
    const part = { file, prefixes: checked.get(file.file)!, skip: lines.get(file.file) ?? 0 };
    await loadFile(importing, part, checkLock);
  }
  // Done before the import is marked as finished: afterwards nothing may be left to do, whenever the process is killed.
  await analyzeFilled(db);
  await checkLock();
  return { state, own_events: await transact(db, (tx) => finish(tx, importing)) };
}

/** Referenced tables first, whatever the order in the manifest. */
const inOrder = ({ files }: Manifest): ManifestFile[] =>
  MOVED.flatMap(({ name }) => files.filter(({ table }) => table === name));

interface Part {
  readonly file: ManifestFile;
  readonly prefixes: Prefixes;
  /** Lines that an earlier run has loaded. */
  readonly skip: number;
}

async function loadFile(loading: Importing, { file, prefixes, skip }: Part, checkLock: Check): Promise<void> {
  const { db, follow, signal, folder, batch = BATCH } = loading;
  const table = MOVED.find(({ name }) => name === file.table)!;
  const json_columns = await listJsonColumns(db, file.table);
  const progress = follow(file.table, file.rows);
  progress.add(skip);
  const blocks = readChecked(join(folder, file.file), file.file, prefixes);
  let at = skip;
  try {
    for await (const lines of readBatches(blocks, { ...batch, skip })) {
      signal.throwIfAborted();
      await checkLock();
      await loadBatch(loading, table, { file, json_columns, lines, at });
      at += lines.length;
      progress.add(lines.length);
    }
  } finally {
    progress.done();
  }
  if (at !== file.rows) throw new TransferFailure(`${file.file} has ${at} lines, but the manifest says ${file.rows}.`);
}

interface Batch {
  readonly file: ManifestFile;
  readonly json_columns: readonly string[];
  readonly lines: readonly string[];
  readonly at: number;
}

async function loadBatch(
  { db, move, manifest }: Importing,
  table: MovedTable,
  { file, json_columns, lines, at }: Batch,
): Promise<void> {
  const rows = table.sealed ? lines.map((line) => sealForService(move, table, line)) : lines;
  const json = `[${rows.join(',')}]`;
  await transact(db, async (tx) => {
    await prepareBatch(tx);
    const step = { export_id: manifest.export_id, file: file.file, from: at, to: at + lines.length };
    if (!(await advanceProgress(tx, step))) throw new TransferFailure('Another import into this database is running.');
    if (table.name === 'audit_events') await ensureMonthsOf(tx, json);
    await insertRows(tx, table.name, { columns: file.columns, json_columns, json });
  }).catch((error) => {
    if (!isUnfitValue(error)) throw error;
    const where = `${file.file}, lines ${at + 1} to ${at + lines.length}`;
    throw new TransferFailure(`${where}: the database rejects them (${error.message}).`, { cause: error });
  });
}

/** Marks the import as finished if exactly the rows of the export are there. */
async function finish(tx: Tx, { manifest, now }: Importing): Promise<number> {
  await withoutLimits(tx);
  for (const { table, rows } of manifest.files) {
    const found = await countLoaded(tx, table, manifest);
    if (found !== rows) {
      throw new TransferFailure(
        `There are ${found} rows in ${table} now, but ${rows} in the export: another process has written to it. ${START_ANEW}`,
      );
    }
  }
  await finishProgress(tx, manifest.export_id, now);
  return countEventsAfter(tx, manifest.greatest_audit_id ?? 0);
}
