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
  type Look,
  lockMark,
  type Mark,
  NOTHING_COUNTED,
  updateMark,
} from './queries.ts';

/** Counted in a fraction of a second, also where the disk is slow. */
const ROWS_AT_ONCE = 100_000;

/**
 * The kept counts go on by one step: false when there is no more to do for now. Rows are taken by their transactions, up to
 * the oldest one that has not ended, so that none is missed because it commits late. Where that cannot be they are taken by
 * id: when one transaction alone has too many, and when the rows' transactions are those of another cluster.
 */
export async function countAuditRows(tx: Db, rowsAtOnce = ROWS_AT_ONCE): Promise<boolean> {
  await lockMark(tx);
  const mark = await findMark(tx);
  if (isForeign(mark)) {
    await deleteCounts(tx);
    return true;
  }
  if (isEmpty(mark) && mark.ahead) return countById(tx, mark, rowsAtOnce);
  const { first, beyond } = await findReach(tx, mark.counted_before, mark.settled, rowsAtOnce);
  if (beyond !== null && beyond === first) return countById(tx, mark, rowsAtOnce);
  if (first === null) return false;
  const before = beyond ?? mark.settled;
  await addByTransaction(tx, mark, before);
  await updateMark(tx, { ...mark, counted_before: before });
  return beyond !== null;
}

async function countById(tx: Db, mark: Mark, rowsAtOnce: number): Promise<true> {
  const settled = await findSettled(tx);
  const next = (await findIdAfter(tx, mark.counted_to, rowsAtOnce)) ?? settled.greatest_id;
  const to = Math.max(mark.counted_to, Math.min(next, settled.greatest_id));
  await addById(tx, mark, to);
  const counted_before = to >= settled.greatest_id ? settled.xid : mark.counted_before;
  await updateMark(tx, { counted_before, counted_to: to });
  return true;
}

/**
 * After a restore into another cluster transactions begin at lower numbers: those of new rows look as if they had been
 * counted. Then all is counted anew.
 */
const isForeign = (mark: Look): boolean => !isEmpty(mark) && (mark.rewound || mark.ahead_uncounted);

const isEmpty = ({ counted_before }: Mark): boolean => counted_before === NOTHING_COUNTED.counted_before;

/** At start: counts that a restore brought along and that do not fit are let go of before anybody reads them. */
export async function dropForeignCounts(db: Db): Promise<void> {
  if (!isForeign(await findMark(db))) return;
  await transact(db, async (tx) => {
    await lockMark(tx);
    if (isForeign(await findMark(tx))) await deleteCounts(tx);
  });
}
