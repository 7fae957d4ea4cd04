import type { Db } from '../../../platform/db/connect.ts';
import { transact } from '../../../platform/db/transact.ts';
import {
  addById,
  addByTransaction,
  deleteCounts,
  findIdAfter,
  findMark,
  findReach,
  findSettled,
  lockMark,
  type Mark,
  type MarkState,
  NOTHING_COUNTED,
  updateMark,
} from './queries.ts';

/** Counting this many rows takes a fraction of a second, even on a slow disk. */
const ROWS_PER_STEP = 100_000;

/**
 * Advances the stored counts by one step. Returns false if there is nothing more to count for now. Rows are counted by
 * transaction, up to the oldest one that is still running, so that a row that commits late is not missed. They are
 * counted by id if a single transaction has too many rows, or if the transaction ids come from another cluster.
 */
export async function countAuditRows(tx: Db, rowsPerStep = ROWS_PER_STEP): Promise<boolean> {
  await lockMark(tx);
  const mark = await findMark(tx);
  if (isForeign(mark)) {
    await deleteCounts(tx);
    return true;
  }
  if (isEmpty(mark) && mark.ahead) return countById(tx, mark, rowsPerStep);
  const { first, beyond } = await findReach(tx, mark.counted_before, mark.settled, rowsPerStep);
  if (beyond !== null && beyond === first) return countById(tx, mark, rowsPerStep);
  if (first === null) return false;
  const before = beyond ?? mark.settled;
  await addByTransaction(tx, mark, before);
  await updateMark(tx, { ...mark, counted_before: before });
  return beyond !== null;
}

async function countById(tx: Db, mark: Mark, rowsPerStep: number): Promise<true> {
  const settled = await findSettled(tx);
  const next = (await findIdAfter(tx, mark.counted_to, rowsPerStep)) ?? settled.greatest_id;
  const to = Math.max(mark.counted_to, Math.min(next, settled.greatest_id));
  await addById(tx, mark, to);
  const counted_before = to >= settled.greatest_id ? settled.xid : mark.counted_before;
  await updateMark(tx, { counted_before, counted_to: to });
  return true;
}

/** Whether the mark is from another cluster (restore): transaction ids start lower here, so new rows look counted. */
const isForeign = (mark: MarkState): boolean => !isEmpty(mark) && (mark.rewound || mark.ahead_uncounted);

const isEmpty = ({ counted_before }: Mark): boolean => counted_before === NOTHING_COUNTED.counted_before;

/** Called at start: deletes restored counts that do not fit this cluster, before they are read. */
export async function dropForeignCounts(db: Db): Promise<void> {
  if (!isForeign(await findMark(db))) return;
  await transact(db, async (tx) => {
    await lockMark(tx);
    if (isForeign(await findMark(tx))) await deleteCounts(tx);
  });
}
