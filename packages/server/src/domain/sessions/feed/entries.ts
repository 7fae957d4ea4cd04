import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasSeen, type Snapshot } from './cursor.ts';

export interface Entry {
  /** The transaction that added the entry. */
  readonly xid: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly json: string;
}

/** Entries as bytes and numbers: with 100,000 objects, garbage collection would block the event loop. */
interface Segment {
  /** Each entry with a comma before it. */
  readonly bytes: Buffer;
  /** Where each entry ends in `bytes`. */
  readonly ends: Uint32Array;
  readonly expires: Float64Array;
  readonly xids: Float64Array;
  readonly firstExpiry: number;
  readonly lowestXid: number;
  readonly highestXid: number;
}

/** A list in the feed. Immutable: a newer list shares the unchanged segments. */
export interface Entries {
  readonly segments: readonly Segment[];
  /** Equal for the same entries in any order, so that replicas agree on the ETag. */
  readonly digest: Buffer;
}

export const PER_SEGMENT = 200;
/** Segments that are rewritten per turn of the event loop: about a millisecond. */
const SEGMENTS_PER_TURN = 8;
const DIGEST_BYTES = 16;

export const NO_ENTRIES: Entries = { segments: [], digest: Buffer.alloc(DIGEST_BYTES) };

interface Piece extends Omit<Entry, 'json'> {
  readonly bytes: Buffer;
}

function segmentOf(pieces: readonly Piece[]): Segment {
  const ends = new Uint32Array(pieces.length);
  const expires = new Float64Array(pieces.length);
  const xids = new Float64Array(pieces.length);
  let [firstExpiry, lowestXid, highestXid] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    ends[index] = end += piece.bytes.length;
    expires[index] = piece.expires;
    xids[index] = piece.xid;
    if (piece.expires < firstExpiry) firstExpiry = piece.expires;
    if (piece.xid < lowestXid) lowestXid = piece.xid;
    if (piece.xid > highestXid) highestXid = piece.xid;
  }
  const bytes = Buffer.concat(
    pieces.map((piece) => piece.bytes),
    end,
  );
  return { bytes, ends, expires, xids, firstExpiry, lowestXid, highestXid };
}

const piecesOf = ({ bytes, ends, expires, xids }: Segment): Piece[] =>
  Array.from(ends, (end, index) => ({
    bytes: bytes.subarray(index === 0 ? 0 : ends[index - 1], end),
    expires: expires[index]!,
    xid: xids[index]!,
  }));

/** XOR of hashes: the same operation adds and removes an entry. */
function mixInto(digest: Buffer, { bytes }: Piece): void {
  // Hexadecimal output is twice as fast as a Buffer.
  const mixed = hash('sha256', bytes);
  for (let index = 0; index < DIGEST_BYTES; index += 4) {
    const word = Number.parseInt(mixed.slice(2 * index, 2 * index + 8), 16);
    digest.writeInt32BE(digest.readInt32BE(index) ^ word, index);
  }
}

/** The digest of two lists together. */
export const digestOf = (one: Entries, other: Entries): Buffer =>
  Buffer.from(one.digest.map((byte, index) => byte ^ other.digest[index]!));

/** Adds entries at the end. The last segment is filled up first, so that there are never many small ones. */
export function withAdded({ segments, digest }: Entries, added: readonly Entry[]): Entries {
  if (added.length === 0) return { segments, digest };
  const pieces = added.map(({ xid, expires, json }) => ({ xid, expires, bytes: Buffer.from(`,${json}`) }));
  const next = Buffer.from(digest);
  for (const piece of pieces) mixInto(next, piece);
  const last = segments.at(-1);
  const isOpen = last !== undefined && last.ends.length < PER_SEGMENT;
  const rest = isOpen ? [...piecesOf(last), ...pieces] : pieces;
  const kept = isOpen ? segments.slice(0, -1) : [...segments];
  for (let at = 0; at < rest.length; at += PER_SEGMENT) kept.push(segmentOf(rest.slice(at, at + PER_SEGMENT)));
  return { segments: kept, digest: next };
}

export const withoutExpired = (entries: Entries, now: number): Promise<Entries> =>
  without(entries, { mayBeIn: ({ firstExpiry }) => firstExpiry <= now, isGone: ({ expires }) => expires <= now });

/** Bytes before the id of an entry: a comma and the name of its first field, as in `,{"key":"`. */
const ID_AT = 9;

/** Removes the entries with these ids, all of the same length, which are the values of their first field, `key`. */
export async function withoutIds(entries: Entries, ids: ReadonlySet<string>): Promise<Entries> {
  const [any] = ids;
  if (any === undefined) return entries;
  const end = ID_AT + any.length;
  return without(entries, {
    mayBeIn: () => true,
    isGone: ({ bytes }) => ids.has(bytes.toString('latin1', ID_AT, end)),
  });
}

interface Removal {
  readonly mayBeIn: (segment: Segment) => boolean;
  readonly isGone: (piece: Piece) => boolean;
}

/** Removes entries, a few segments per turn of the event loop. */
async function without({ segments, digest }: Entries, { mayBeIn, isGone }: Removal): Promise<Entries> {
  if (!segments.some(mayBeIn)) return { segments, digest };
  const next = Buffer.from(digest);
  const kept: Segment[] = [];
  let written = 0;
  for (const segment of segments) {
    if (!mayBeIn(segment)) {
      kept.push(segment);
      continue;
    }
    const valid: Piece[] = [];
    for (const piece of piecesOf(segment)) {
      if (isGone(piece)) mixInto(next, piece);
      else valid.push(piece);
    }
    const before = kept.at(-1);
    if (before && before.ends.length + valid.length <= PER_SEGMENT) {
      kept[kept.length - 1] = segmentOf([...piecesOf(before), ...valid]);
    } else if (valid.length > 0) {
      kept.push(segmentOf(valid));
    }
    if (++written % SEGMENTS_PER_TURN === 0) await nextTurn();
  }
  return { segments: kept, digest: next };
}

/**
 * The maximum number of bytes of partial segments that one response copies. Beyond it, segments are sent whole and
 * repeat entries.
 */
const MAX_COPIED_BYTES = 64 * 1024;

/**
 * Returns the bytes of a JSON list of all entries, or of those that a snapshot has not seen. May repeat seen entries:
 * readers can send any snapshot, and must not make the service copy most of the feed for each of them.
 */
export function listBytes({ segments }: Entries, since?: Snapshot): Buffer[] {
  const parts: Buffer[] = [];
  let copied = 0;
  for (const segment of segments) {
    const unseen = since === undefined ? segment.ends.length : countUnseen(segment, since);
    if (unseen === 0) continue;
    if (unseen === segment.ends.length || copied >= MAX_COPIED_BYTES) {
      parts.push(segment.bytes);
      continue;
    }
    const part = unseenBytes(segment, since!);
    copied += part.length;
    parts.push(part);
  }
  if (parts[0]) parts[0] = parts[0].subarray(1);
  return [Buffer.from('['), ...parts, Buffer.from(']')];
}

function countUnseen({ xids, lowestXid, highestXid }: Segment, since: Snapshot): number {
  if (lowestXid >= since.xmax) return xids.length;
  if (highestXid < since.xmin) return 0;
  let unseen = 0;
  for (const xid of xids) if (!hasSeen(since, xid)) unseen++;
  return unseen;
}

const unseenBytes = (segment: Segment, since: Snapshot): Buffer =>
  Buffer.concat(
    piecesOf(segment)
      .filter(({ xid }) => !hasSeen(since, xid))
      .map(({ bytes }) => bytes),
  );
