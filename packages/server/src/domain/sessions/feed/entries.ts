import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasSeen, type Snapshot } from './cursor.ts';

/** One entry of a list in the feed, written out once. */
export interface Entry {
  readonly id: string;
  /** The transaction that added it. */
  readonly xid: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly json: string;
}

/** Entries that are sent together. */
interface Segment {
  readonly entries: readonly Entry[];
  /** Each entry with a comma before it. */
  readonly bytes: Buffer;
  readonly firstExpiry: number;
  readonly lowestXid: number;
  readonly highestXid: number;
}

/** A list in the feed. It is never changed: a newer one shares the segments that are the same. */
export interface Entries {
  readonly segments: readonly Segment[];
  /** The same for the same entries in any order, so that replicas agree on the ETag. */
  readonly digest: Buffer;
}

const PER_SEGMENT = 500;
/** Segments that are written anew between two turns of the event loop: about a millisecond. */
const PER_TURN = 8;
const DIGEST_BYTES = 16;

export const NO_ENTRIES: Entries = { segments: [], digest: Buffer.alloc(DIGEST_BYTES) };

function segmentOf(entries: readonly Entry[]): Segment {
  let [firstExpiry, lowestXid, highestXid] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (const { expires, xid } of entries) {
    if (expires < firstExpiry) firstExpiry = expires;
    if (xid < lowestXid) lowestXid = xid;
    if (xid > highestXid) highestXid = xid;
  }
  return { entries, bytes: bytesOf(entries), firstExpiry, lowestXid, highestXid };
}

const bytesOf = (entries: readonly Entry[]): Buffer => Buffer.from(entries.map(({ json }) => `,${json}`).join(''));

/** An exclusive or of hashes: the same operation adds an entry and takes it out. */
function mixInto(digest: Buffer, { json }: Entry): void {
  const hash = createHash('sha256').update(json).digest();
  for (let index = 0; index < DIGEST_BYTES; index++) digest[index]! ^= hash[index]!;
}

/** Adds entries at the end. The last segment is filled up first, so that there are never many small ones. */
export function withAdded({ segments, digest }: Entries, added: readonly Entry[]): Entries {
  if (added.length === 0) return { segments, digest };
  const next = Buffer.from(digest);
  for (const entry of added) mixInto(next, entry);
  const last = segments.at(-1);
  const isOpen = last !== undefined && last.entries.length < PER_SEGMENT;
  const rest = isOpen ? [...last.entries, ...added] : added;
  const kept = isOpen ? segments.slice(0, -1) : [...segments];
  for (let at = 0; at < rest.length; at += PER_SEGMENT) kept.push(segmentOf(rest.slice(at, at + PER_SEGMENT)));
  return { segments: kept, digest: next };
}

/** Takes out what has expired, some segments in each turn of the event loop. */
export async function withoutExpired(
  { segments, digest }: Entries,
  now: number,
  onRemoved: (entry: Entry) => void,
): Promise<Entries> {
  if (segments.every(({ firstExpiry }) => firstExpiry > now)) return { segments, digest };
  const next = Buffer.from(digest);
  const kept: Segment[] = [];
  let written = 0;
  for (const segment of segments) {
    if (segment.firstExpiry > now) {
      kept.push(segment);
      continue;
    }
    const living: Entry[] = [];
    for (const entry of segment.entries) {
      if (entry.expires > now) {
        living.push(entry);
        continue;
      }
      mixInto(next, entry);
      onRemoved(entry);
    }
    const before = kept.at(-1);
    if (before && before.entries.length + living.length <= PER_SEGMENT) {
      kept[kept.length - 1] = segmentOf([...before.entries, ...living]);
    } else if (living.length > 0) {
      kept.push(segmentOf(living));
    }
    if (++written % PER_TURN === 0) await nextTurn();
  }
  return { segments: kept, digest: next };
}

/** The bytes of a JSON list of all entries, or of those that a snapshot has not seen. */
export function listBytes({ segments }: Entries, since?: Snapshot): Buffer[] {
  const parts = segments.map((segment) => unseenBytes(segment, since)).filter(({ length }) => length > 0);
  if (parts[0]) parts[0] = parts[0].subarray(1);
  return [Buffer.from('['), ...parts, Buffer.from(']')];
}

function unseenBytes(segment: Segment, since: Snapshot | undefined): Buffer {
  if (since === undefined || segment.lowestXid >= since.xmax) return segment.bytes;
  if (segment.highestXid < since.xmin) return NOTHING;
  return bytesOf(segment.entries.filter(({ xid }) => !hasSeen(since, xid)));
}

const NOTHING = Buffer.alloc(0);
