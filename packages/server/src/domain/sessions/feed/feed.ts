import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, NIL_UUID, type RevocationFeed } from '@gatehouse/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/connect.ts';
import { endOverlaps } from '../../machines/queries.ts';
import { lastExpiry } from '../role-changes/expiry.ts';
import { publishRefreshes } from '../role-changes/queries.ts';
import { type Cursor, hasSeen, instanceOf, readCursor, readSnapshot, type Snapshot, writeCursor } from './cursor.ts';
import { digestOf, type Entries, listBytes, NO_ENTRIES, PER_SEGMENT, withAdded, withoutExpired } from './entries.ts';
import { type FeedRow, listRevocations, listRevocationsSince, readRow } from './queries.ts';
import { NO_REFRESHES, type Refreshes, withChanges } from './refreshes.ts';

/** The rendered feed. The ETag depends only on the entries, so that a client without news gets 304. */
export interface RenderedFeed {
  readonly parts: readonly Buffer[];
  readonly etag: string;
}

export interface RevocationFeedCache {
  /** Returns the entries that a cursor has not seen; all entries without a cursor or for an unknown one. */
  read(after?: string): RenderedFeed | Promise<RenderedFeed>;
  /** Returns all entries, or undefined if the database must be read first. */
  known(): RenderedFeed | undefined;
}

/** The data that responses are rendered from. Replaced as a whole, so that readers never see a partial update. */
interface State {
  readonly seen: string;
  readonly snapshot: Snapshot;
  readonly instance: string;
  readonly now: Date;
  /** When the database was read, by the monotonic clock. */
  readonly readAt: number;
  readonly entries: Entries;
  readonly refreshes: Refreshes;
  /** Some changes of roles are not published yet: the process that wrote them has crashed, or publishes them next. */
  readonly pending: boolean;
  /** Ids in `entries` that the snapshot has not seen: they were added while pages of a first load were read. */
  readonly ahead: ReadonlySet<string>;
  /** Responses rendered from this state, by cursor. */
  readonly rendered: Map<string, RenderedFeed>;
}

/** Seconds; the default of ACCESS_TOKEN_TTL. */
const DEFAULT_TTL = 900;
const REUSE_MS = 1_000;
/** Minimum time between two reads that are needed for cursors from replicas with a newer state. */
const SPACING_MS = 100;
const PAGE_ROWS = 4_000;
/** Rows that are added per turn of the event loop: about a millisecond. */
const ROWS_PER_TURN = PER_SEGMENT;
/** The maximum number of consecutive reads. Another one follows if the result is already old when a read ends. */
const MAX_READS = 3;
/** Cached responses per state. Longer ones share the bytes of the entries and are built for each request. */
const MAX_RENDERED = { count: 100, bytes: 64 * 1024 };

/**
 * §6, docs/reference/sessions.md#revocation-feed: at most 2 seconds old. All clients share one read per second, which
 * queries only what was committed since the previous read. Earlier entries are kept as rendered bytes.
 */
export function createRevocationFeed(
  db: Db,
  clock: Clock,
  { accessTtl }: { accessTtl: number } = { accessTtl: DEFAULT_TTL },
): RevocationFeedCache {
  let state: State | undefined;
  let reading: Promise<State> | undefined;

  const load = async (): Promise<State> => {
    const [now, readAt] = [clock.now(), performance.now()];
    let entries = NO_ENTRIES;
    const ahead = new Set<string>();
    const first = await listRevocations(db, { after: NIL_UUID, now, limit: PAGE_ROWS });
    const seen = readSnapshot(first.snapshot);
    const refreshes = await withChanges(NO_REFRESHES, first.refreshes, now);
    for (let { lines } = first; ; ) {
      entries = await withRows(entries, lines, ({ id, xid }) => {
        if (!hasSeen(seen, xid)) ahead.add(id);
        return true;
      });
      if (lines.length < PAGE_ROWS) return stateOf(first, { now, readAt, entries, refreshes, ahead });
      ({ lines } = await listRevocations(db, { after: readRow(lines.at(-1)!).id, now, limit: PAGE_ROWS }));
    }
  };

  const update = async (before: State): Promise<State> => {
    const [now, readAt] = [clock.now(), performance.now()];
    const since = { seen: before.seen, now, limit: PAGE_ROWS };
    const first = await listRevocationsSince(db, { ...since, after: { xid: 0, id: NIL_UUID }, until: null });
    const isOther = instanceOf(first.identity) !== before.instance;
    if (isOther || readSnapshot(first.snapshot).xmax < before.snapshot.xmax) return load();
    const isNew = ({ id }: FeedRow): boolean => !before.ahead.has(id);
    let entries = await withRows(before.entries, first.lines, isNew);
    for (let { lines } = first; lines.length === PAGE_ROWS; entries = await withRows(entries, lines, isNew)) {
      const after = readRow(lines.at(-1)!);
      ({ lines } = await listRevocationsSince(db, { ...since, after, until: first.snapshot }));
    }
    entries = await withoutExpired(entries, now.getTime());
    const refreshes = await withChanges(before.refreshes, first.refreshes, now);
    return stateOf(first, { now, readAt, entries, refreshes, ahead: NONE });
  };

  const refresh = (): Promise<State> => {
    reading ??= readOn().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  /** A first load of many entries takes a while: what was committed meanwhile is read before the state is used. */
  const readOn = async (): Promise<State> => {
    let current = state ? await update(state) : await load();
    if (current.pending) {
      await publishRefreshes(db, lastExpiry(clock.now(), accessTtl));
      await endOverlaps(db, clock.now());
      current = await update(current);
    }
    for (let reads = 1; reads < MAX_READS && performance.now() - current.readAt > REUSE_MS / 2; reads++) {
      current = await update(current);
    }
    state = current;
    return current;
  };

  /**
   * For a cursor that is newer than this state: another replica that has read later may have issued it. Reads again, at
   * most twice. Returns the full feed, as for an unknown cursor, if the cursor is still newer.
   */
  const catchUp = async (before: State, cursor: Cursor): Promise<RenderedFeed> => {
    let current = before;
    // A read that is already running may have begun too early for this cursor; the next one has not.
    for (let reads = 0; reads < 2 && isAhead(cursor, current); reads++) {
      const wait = current.readAt + SPACING_MS - performance.now();
      if (wait > 0) await sleep(wait);
      current = state && state !== current ? state : await refresh();
    }
    return render(current, isOf(current, cursor) && !isAhead(cursor, current) ? cursor : undefined);
  };

  const answer = (current: State, after: string | undefined): RenderedFeed | Promise<RenderedFeed> => {
    const cursor = after === undefined ? undefined : readCursor(after);
    if (!cursor || !isOf(current, cursor)) return render(current, undefined);
    return isAhead(cursor, current) ? catchUp(current, cursor) : render(current, cursor);
  };

  const reusable = (): State | undefined => (state && performance.now() - state.readAt < REUSE_MS ? state : undefined);

  return {
    read(after) {
      const known = reusable();
      return known ? answer(known, after) : refresh().then((current) => answer(current, after));
    },
    known() {
      const known = reusable();
      return known && render(known, undefined);
    },
  };
}

const isOf = (state: State, { instance }: Cursor): boolean => instance === state.instance;

const isAhead = ({ snapshot }: Cursor, state: State): boolean => snapshot.xmax > state.snapshot.xmax;

const stateOf = (
  { snapshot, identity, pending }: { snapshot: string; identity: string; pending: boolean },
  rest: Pick<State, 'now' | 'readAt' | 'entries' | 'refreshes' | 'ahead'>,
): State => ({
  ...rest,
  seen: snapshot,
  snapshot: readSnapshot(snapshot),
  instance: instanceOf(identity),
  pending,
  rendered: new Map(),
});

const NONE: ReadonlySet<string> = new Set();

/** Adds the rows of a page, some per turn of the event loop. */
async function withRows(
  entries: Entries,
  lines: readonly string[],
  isWanted: (row: FeedRow) => boolean,
): Promise<Entries> {
  let all = entries;
  for (let at = 0; at < lines.length; at += ROWS_PER_TURN) {
    if (at > 0) await nextTurn();
    all = withAdded(
      all,
      lines
        .slice(at, at + ROWS_PER_TURN)
        .map(readRow)
        .filter(isWanted),
    );
  }
  return all;
}

function render(state: State, cursor: Cursor | undefined): RenderedFeed {
  const key = cursor ? writeCursor(cursor) : '';
  const known = state.rendered.get(key);
  if (known) return known;
  const { instance, snapshot, entries, refreshes } = state;
  const head: Omit<RevocationFeed, 'revocations' | 'refreshes'> = {
    generated_at: state.now.toISOString(),
    max_staleness_seconds: LIMITS.revocationFeed.maxStaleness,
    cursor: writeCursor({ instance, snapshot }),
    ...(cursor && { partial: true }),
  };
  const made = {
    parts: [
      Buffer.from(`${JSON.stringify(head).slice(0, -1)},"revocations":`),
      ...listBytes(entries, cursor?.snapshot),
      Buffer.from(',"refreshes":'),
      ...listBytes(refreshes.entries, cursor?.snapshot),
      Buffer.from('}'),
    ],
    etag: `W/"${digestOf(entries, refreshes.entries).toString('base64url')}"`,
  };
  const isKept = key === '' || lengthOf(made.parts) <= MAX_RENDERED.bytes;
  if (isKept && state.rendered.size < MAX_RENDERED.count) state.rendered.set(key, made);
  return made;
}

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
