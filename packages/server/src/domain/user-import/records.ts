import type { Unwanted } from './foreign-user.ts';
import { UnreadableFile } from './unreadable-file.ts';

export interface Entry {
  readonly at: string;
  /** Undefined if the record could not be parsed. */
  readonly value: unknown;
  /** Set for a record in a list whose users are skipped, such as `federatedUsers` of Keycloak. */
  readonly unwanted?: Unwanted;
}

export type Chunks = AsyncIterable<Buffer>;

/** Longer than any real user record. */
export const MAX_RECORD = 16 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns undefined if the bytes are not JSON. */
export function parseBytes(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

const NEWLINE = 0x0a;

export async function* readLines(chunks: Chunks): AsyncGenerator<Entry> {
  let number = 0;
  let rest: Buffer[] = [];
  let length = 0;
  const entryOf = (bytes: Buffer): Entry | undefined => {
    number++;
    const blank = bytes.length < 64 && bytes.toString('latin1').trim() === '';
    return blank ? undefined : { at: `line ${number}`, value: parseBytes(bytes) };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const entry = entryOf(Buffer.concat([...rest, chunk.subarray(from, end)]));
      if (entry) yield entry;
      rest = [];
      length = 0;
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_RECORD) throw new UnreadableFile(`line ${number + 1} is too long to be a user`);
  }
  const last = entryOf(Buffer.concat(rest));
  // Without a final line feed, the file may be truncated.
  if (last && last.value === undefined) throw new UnreadableFile(`${last.at}, the last one, is incomplete or not JSON`);
  if (last) yield last;
}

const BOM = Buffer.from('\uFEFF');

/** Returns the first significant byte (not a byte order mark or space) and all chunks. */
export async function peek(chunks: Chunks): Promise<{ first: string; chunks: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let head: Buffer = Buffer.alloc(0);
  // The byte order mark may be split over chunks.
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    head = Buffer.concat([head, next.value]);
    if (head.length >= BOM.length) break;
  }
  const begin = head.subarray(0, BOM.length).equals(BOM) ? head.subarray(BOM.length) : head;
  seen.push(begin);
  let first = firstOf(begin);
  while (first === '') {
    const { done, value } = await iterator.next();
    if (done) break;
    seen.push(value);
    first = firstOf(value);
  }
  const all = async function* () {
    yield* seen;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { first, chunks: all() };
}

const firstOf = (chunk: Buffer): string => chunk.toString('latin1').trimStart().slice(0, 1);
