import { createHash } from 'node:crypto';

/** The transactions that a reader of the database has seen: PostgreSQL's `pg_snapshot`. */
export interface Snapshot {
  /** Every transaction with a lower id has ended. */
  readonly xmin: number;
  /** No transaction with this or a higher id had ended. */
  readonly xmax: number;
  /** Ids between `xmin` and `xmax` of transactions that had not ended. */
  readonly active: ReadonlySet<number>;
}

/** Reads `xmin:xmax:xip,xip…`, as PostgreSQL prints it. */
export function readSnapshot(text: string): Snapshot {
  const [xmin, xmax, active] = text.split(':');
  return { xmin: Number(xmin), xmax: Number(xmax), active: new Set(active ? active.split(',').map(Number) : []) };
}

export const hasSeen = ({ xmin, xmax, active }: Snapshot, xid: number): boolean =>
  xid < xmin || (xid < xmax && !active.has(xid));

/** A position in the feed that every replica understands: a snapshot of this database. */
export interface Cursor {
  readonly instance: string;
  readonly snapshot: Snapshot;
}

/** Names the server that a cursor is from and valid for: transaction ids differ after a restore or promotion. */
export const instanceOf = (identity: string): string =>
  createHash('sha256').update(identity).digest('base64url').slice(0, 11);

/** If more transactions are open, all from the oldest one on count as not seen, so that entries are repeated. */
const MAX_ACTIVE = 50;
const RADIX = 36;
const NUMBER = '[0-9a-z]{1,10}';
const FORM = new RegExp(`^([\\w-]{11})\\.(${NUMBER})\\.(${NUMBER})\\.(${NUMBER}(?:-${NUMBER})*)?$`);

export function writeCursor({ instance, snapshot }: Cursor): string {
  const { xmin, xmax, active } = snapshot;
  const isShort = active.size <= MAX_ACTIVE;
  const open = isShort ? [...active].map((xid) => (xid - xmin).toString(RADIX)).join('-') : '';
  return [instance, xmin.toString(RADIX), (isShort ? xmax : xmin).toString(RADIX), open].join('.');
}

/**
 * Returns undefined for a text that no replica has written. A cursor with more open transactions than `writeCursor`
 * writes must be rejected: responses are cached by the rewritten cursor, which would be the cursor of other readers.
 */
export function readCursor(text: string): Cursor | undefined {
  const [, instance, low, high, open] = FORM.exec(text.slice(0, 1_000)) ?? [];
  if (instance === undefined) return undefined;
  const [xmin, xmax] = [Number.parseInt(low!, RADIX), Number.parseInt(high!, RADIX)];
  const active = open ? open.split('-').map((above) => xmin + Number.parseInt(above, RADIX)) : [];
  return xmin > xmax || active.length > MAX_ACTIVE
    ? undefined
    : { instance, snapshot: { xmin, xmax, active: new Set(active) } };
}
