import { describeAuditRow } from '../../domain/audit/describe.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { findIdBounds, listAuditBatch } from './queries.ts';
import { isBounded, isEmpty, type TimeRange } from './time-range.ts';

/** Complete lines, and their number. */
interface Piece {
  readonly text: string;
  readonly rows: number;
}

/** Characters. Small enough that a client with a slow connection reads one piece well before the stall timeout. */
const PIECE_CHARS = 32 * 1024;

const EVERYTHING = { low: 1, high: Number.MAX_SAFE_INTEGER };

/** Yields the lines of an export, ordered by id. Within one snapshot, every call yields the same lines. */
export async function* readPieces(tx: Tx, range: TimeRange): AsyncGenerator<Piece> {
  if (isEmpty(range)) return;
  const bounds = isBounded(range) ? await findIdBounds(tx, range) : EVERYTHING;
  if (!bounds) return;
  for (let after = bounds.low - 1; ; ) {
    const rows = await listAuditBatch(tx, { ...range, after, last: bounds.high });
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
    let text = '';
    let count = 0;
    for (const row of rows) {
      text += `${JSON.stringify(describeAuditRow(row))}\n`;
      count++;
      if (text.length < PIECE_CHARS) continue;
      yield { text, rows: count };
      text = '';
      count = 0;
    }
    if (count > 0) yield { text, rows: count };
  }
}
