import { createHmac } from 'node:crypto';
import type { ExportKey } from '../../domain/audit/export-key.ts';
import { readTrailer, type Trailer } from './trailer.ts';

/** What a file holds, whether or not it should. Lines are counted from 1. */
export interface Contents {
  readonly bytes: number;
  readonly rows: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** The last line, if it is a trailer. */
  readonly trailer: Trailer | undefined;
  /** A trailer that is not the last line. */
  readonly early: number | undefined;
  /** The first line that does not begin as a row does. */
  readonly odd: number | undefined;
  /** The first row whose id is not above that of the row before. */
  readonly descending: number | undefined;
  /** Some program has given the lines ends of its own. */
  readonly rewritten: boolean;
  /** Of all before the trailer, in the order of the keys. */
  readonly signatures: readonly string[];
}

/** No trailer is longer, and all that is asked of a row stands before this. */
const HEAD = 512;
const LF = 0x0a;
const CR = 0x0d;
const ROW = /^\{"id":(\d{1,16}),"event_id":"[0-9a-f-]{36}","timestamp":"([^"]{1,40})",/;

/** In constant memory, whatever the file holds: of a line no more than its head is kept, and of the file its last line. */
export async function readExport(chunks: AsyncIterable<Buffer>, keys: readonly ExportKey[]): Promise<Contents> {
  const hmacs = keys.map(({ key }) => createHmac('sha256', key));
  const rows = createRows();
  let bytes = 0;
  let rewritten = false;
  // The last line so far: it may be the trailer, and then it is not signed.
  let held: Buffer = Buffer.alloc(0);
  // The head of a line that is too long for one, while it lasts.
  let long: string | undefined;
  const sign = (data: Buffer) => hmacs.forEach((hmac) => void hmac.update(data));

  for await (const chunk of chunks) {
    bytes += chunk.length;
    const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    const last = startOfLastLine(data);
    rewritten ||= data.at(-2) === CR && data.at(-1) === LF;
    for (let start = 0; start < last; ) {
      rows.add(long ?? headOf(data, start));
      long = undefined;
      start = data.indexOf(LF, start) + 1;
    }
    const ends = data.at(-1) === LF;
    if (long === undefined && data.length - last <= HEAD) {
      sign(data.subarray(0, last));
      held = Buffer.from(data.subarray(last));
      continue;
    }
    sign(data);
    held = Buffer.alloc(0);
    long ??= headOf(data, last);
    if (!ends) continue;
    rows.add(long);
    long = undefined;
  }

  const trailer = readTrailer(held.toString());
  if (!trailer && held.length > 0) sign(held);
  if (long !== undefined) rows.add(long);
  else if (!trailer && held.length > 0) rows.add(headOf(held, 0));
  const signatures = hmacs.map((hmac) => `sha256=${hmac.digest('hex')}`);
  return { bytes, ...rows.seen(), trailer, rewritten, signatures };
}

/** A line feed at the very end belongs to the last line. */
const startOfLastLine = (data: Buffer): number => (data.length < 2 ? 0 : data.lastIndexOf(LF, data.length - 2) + 1);

const headOf = (data: Buffer, start: number): string => data.toString('latin1', start, start + HEAD);

function createRows() {
  let rows = 0;
  let id = 0;
  let first: string | undefined;
  let last: string | undefined;
  let early: number | undefined;
  let odd: number | undefined;
  let descending: number | undefined;
  return {
    add(head: string): void {
      rows++;
      const [, number, timestamp] = ROW.exec(head) ?? [];
      if (timestamp === undefined) {
        odd ??= rows;
        if (head.startsWith('{"_signature"')) early ??= rows;
        return;
      }
      if (Number(number) <= id) descending ??= rows;
      id = Number(number);
      first ??= timestamp;
      last = timestamp;
    },
    seen: () => ({ rows, first, last, early, odd, descending }),
  };
}
