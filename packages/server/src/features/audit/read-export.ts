import { createHmac } from 'node:crypto';
import type { ExportKey } from '../../domain/audit/export-key.ts';
import { readTrailer, type Trailer } from './trailer.ts';

/** Content of a file that may or may not be an intact export. Line numbers start at 1. */
export interface Contents {
  readonly bytes: number;
  readonly rows: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** The last line, if it is a trailer. */
  readonly trailer: Trailer | undefined;
  /** Line of a trailer that is not the last line. */
  readonly earlyTrailer: number | undefined;
  /** First line that does not start like a row. */
  readonly malformed: number | undefined;
  /** First row whose id is not greater than the previous one. */
  readonly descending: number | undefined;
  /** The lines end with CR LF: a program has rewritten the file. */
  readonly rewritten: boolean;
  /** Signatures of everything before the trailer, one per key. */
  readonly signatures: readonly string[];
}

/** Longer than any trailer, and than the part of a row that is checked. */
const HEAD_BYTES = 512;
const LF = 0x0a;
const CR = 0x0d;
const ROW = /^\{"id":(\d{1,16}),"event_id":"[0-9a-f-]{36}","timestamp":"([^"]{1,40})",/;

/** Reads the file in constant memory: keeps at most the head of the current line, and the last line. */
export async function readExport(chunks: AsyncIterable<Buffer>, keys: readonly ExportKey[]): Promise<Contents> {
  const hmacs = keys.map(({ key }) => createHmac('sha256', key));
  const rows = createRows();
  let bytes = 0;
  let rewritten = false;
  // The last line so far. It may be the trailer, which is not part of the signed data.
  let lastLine: Buffer = Buffer.alloc(0);
  // Set if the current line is too long to be a trailer: its first bytes.
  let long: string | undefined;
  const sign = (data: Buffer) => hmacs.forEach((hmac) => void hmac.update(data));

  for await (const chunk of chunks) {
    bytes += chunk.length;
    const data = lastLine.length > 0 ? Buffer.concat([lastLine, chunk]) : chunk;
    const last = startOfLastLine(data);
    rewritten ||= data.at(-2) === CR && data.at(-1) === LF;
    for (let start = 0; start < last; ) {
      rows.add(long ?? headOf(data, start));
      long = undefined;
      start = data.indexOf(LF, start) + 1;
    }
    const ends = data.at(-1) === LF;
    if (long === undefined && data.length - last <= HEAD_BYTES) {
      sign(data.subarray(0, last));
      lastLine = Buffer.from(data.subarray(last));
      continue;
    }
    sign(data);
    lastLine = Buffer.alloc(0);
    long ??= headOf(data, last);
    if (!ends) continue;
    rows.add(long);
    long = undefined;
  }

  const trailer = readTrailer(lastLine.toString());
  if (!trailer && lastLine.length > 0) sign(lastLine);
  if (long !== undefined) rows.add(long);
  else if (!trailer && lastLine.length > 0) rows.add(headOf(lastLine, 0));
  const signatures = hmacs.map((hmac) => `sha256=${hmac.digest('hex')}`);
  return { bytes, ...rows.seen(), trailer, rewritten, signatures };
}

/** A final line feed belongs to the last line. */
const startOfLastLine = (data: Buffer): number => (data.length < 2 ? 0 : data.lastIndexOf(LF, data.length - 2) + 1);

const headOf = (data: Buffer, start: number): string => data.toString('latin1', start, start + HEAD_BYTES);

function createRows() {
  let rows = 0;
  let id = 0;
  let first: string | undefined;
  let last: string | undefined;
  let earlyTrailer: number | undefined;
  let malformed: number | undefined;
  let descending: number | undefined;
  return {
    add(head: string): void {
      rows++;
      const [, number, timestamp] = ROW.exec(head) ?? [];
      if (timestamp === undefined) {
        malformed ??= rows;
        if (head.startsWith('{"_signature"')) earlyTrailer ??= rows;
        return;
      }
      if (Number(number) <= id) descending ??= rows;
      id = Number(number);
      first ??= timestamp;
      last = timestamp;
    },
    seen: () => ({ rows, first, last, earlyTrailer, malformed, descending }),
  };
}
