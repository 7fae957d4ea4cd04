import type { Tx } from '../../platform/db/connect.ts';
import { isServed } from '../../platform/db/server-state.ts';
import { deleteCounts } from '../audit/counts/queries.ts';
import { forgetStream } from '../events/queries.ts';
import { TransferFailure } from './failure.ts';
import { fileOf, type Manifest } from './manifest.ts';
import {
  countEventsUpTo,
  countRows,
  deleteUnfinished,
  hasRows,
  hasUserEvents,
  insertProgress,
  isFromAnother,
  listColumns,
  listProgress,
  moveEventsBehind,
  raiseAuditIds,
  withoutLimits,
} from './queries.ts';
import type { Move } from './reseal.ts';
import { MOVED } from './tables.ts';

export const START_ANEW = 'Start over with an empty database.';

interface ImportRequest {
  readonly manifest: Manifest;
  readonly move: Move;
  /** Whether a connection pooler is in front of the database. */
  readonly pooled?: boolean;
}

type Table = (typeof MOVED)[number]['name'];

interface Target<State> {
  readonly state: State;
  /** The number of loaded lines per file. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Checks whether the export can be loaded here, and how much of it has been loaded already. Writes nothing. */
export async function examineTarget(
  tx: Tx,
  { manifest, move, pooled = false }: ImportRequest,
): Promise<Target<'loaded' | 'went_on' | 'already'>> {
  await withoutLimits(tx);
  const progress = await listProgress(tx, manifest.export_id);
  const lines = new Map(progress.map(({ file, lines }) => [file, lines]));
  if (progress.length > 0 && progress.every(({ finished_at }) => finished_at !== null)) {
    return { state: 'already', lines };
  }
  if (await isServed(tx, pooled)) {
    const ago = pooled ? ', or did half a minute ago' : '';
    throw new TransferFailure(`A service uses this database${ago}. Stop it until the import has finished.`);
  }
  await requireCompatible(tx, manifest, move);
  if (progress.length > 0) {
    await requireUnchanged(tx, manifest, lines);
    return { state: 'went_on', lines };
  }
  await requireEmpty(tx, manifest);
  return { state: 'loaded', lines };
}

/** Records the start. Audit rows of an unused service about itself get new ids: those of the export keep theirs. */
export async function beginImport(tx: Tx, request: ImportRequest): Promise<Target<'loaded' | 'went_on'>> {
  const { state, lines } = await examineTarget(tx, request);
  if (state !== 'loaded') return { state: 'went_on', lines };
  const { export_id, greatest_audit_id } = request.manifest;
  await deleteUnfinished(tx);
  await insertProgress(
    tx,
    export_id,
    MOVED.map(({ name }) => fileOf(name)),
  );
  if (greatest_audit_id !== null) {
    await raiseAuditIds(tx, greatest_audit_id);
    if (await hasRows(tx, 'audit_events')) await moveEventsBehind(tx);
  }
  // The stored counts refer to ids that no longer exist; every row is counted again.
  await deleteCounts(tx);
  await forgetStream(tx);
  return { state, lines };
}

/** Counts the imported rows of a table, without audit events that the service itself has written since. */
export const countLoaded = (tx: Tx, table: Table, { greatest_audit_id }: Manifest): Promise<number> =>
  table === 'audit_events' ? countEventsUpTo(tx, greatest_audit_id ?? 0) : countRows(tx, table);

/** Fails before anything is written if the export contains something that cannot be stored. */
async function requireCompatible(tx: Tx, { files }: Manifest, { keyrings }: Move): Promise<void> {
  for (const { table, columns, sealed } of files) {
    const known = new Set(await listColumns(tx, table));
    const strange = columns.find((column) => !known.has(column));
    if (strange)
      throw new TransferFailure(`The export contains ${table}.${strange}, which this version does not support.`);
    const under = MOVED.find(({ name }) => name === table)?.sealed?.under;
    if (sealed > 0 && under && !keyrings[under]) {
      throw new TransferFailure(
        `The export contains encrypted values of ${table} (${sealed}), but ${under} is not set. Set it to import them.`,
      );
    }
  }
}

async function requireEmpty(tx: Tx, { export_id }: Manifest): Promise<void> {
  for (const { name } of MOVED) {
    if (!(await hasRows(tx, name))) continue;
    // Users and organizations come first in the order: without them, these rows are about the start of a service.
    if (name === 'audit_events' && !(await hasUserEvents(tx)) && !(await isFromAnother(tx, export_id, fileOf(name))))
      continue;
    throw new TransferFailure(
      `The database has rows in ${name} that are not from this export. Data is not merged: import into an empty database.`,
    );
  }
}

/** Fails unless the tables have exactly the rows that an earlier run has loaded. */
async function requireUnchanged(tx: Tx, manifest: Manifest, lines: ReadonlyMap<string, number>): Promise<void> {
  for (const { name } of MOVED) {
    if ((await countLoaded(tx, name, manifest)) === (lines.get(fileOf(name)) ?? 0)) continue;
    throw new TransferFailure(`Another process has changed ${name} since the import was interrupted. ${START_ANEW}`);
  }
}
