import type { Answer } from './bounded-fetch.ts';
import { createDocument, membersOf } from './document.ts';
import { age, later, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import { createRevokedSessions, type RevokedSessions } from './revoked-sessions.ts';
import { createStaleTokens, type RoleHolder, readRefreshes } from './stale-tokens.ts';
import { VerifyError } from './verify-error.ts';

interface Feed {
  /** Returns whether the last poll is recent enough to decide about tokens. */
  isFresh(): boolean;
  /**
   * Resolves when tokens can be accepted; rejects with a VerifyError if all must be rejected. The first call starts the
   * polling.
   */
  freshen(): Promise<void>;
  /** Resolves when the feed is fresh, otherwise rejects. */
  ready(): Promise<void>;
  readonly stateOf: RevokedSessions['stateOf'];
  /** Returns whether roles have changed since the token was issued. */
  isStale(holder: RoleHolder): boolean;
  close(): void;
}

const POLL_INTERVAL_MS = 2_000;
/**
 * The feed of the service is at most 2 seconds old. With 3 seconds from the start of a poll, a revocation takes effect
 * within 5.
 */
const MAX_AGE_MS = 3_000;
/**
 * Maximum time between two parts of the response. Reading a full feed may take longer in total; the partial feed that
 * is read next makes the state fresh.
 */
const IDLE_TIMEOUT_MS = 2_000;
const TIMEOUT_MS = 15_000;
const STALLED_MS = 500;
const FIRST_RETRY_MS = 250;
/** Size limits: of the document without entries, and of one entry (twice its usual size). */
const BYTES = { document: 64 * 1024, entry: 320 };

/**
 * §6: polls the feed of revoked sessions and role changes. All callers share one poll. With the cursor of the last
 * response the service returns only newer entries; a service without cursors sends the full feed whenever something has
 * changed.
 */
export function createFeed({ address, fetch, whenFeedFails, maxRevocations, onFeed }: Settings): Feed {
  const closing = new AbortController();
  const revoked = createRevokedSessions(maxRevocations);
  const stale = createStaleTokens(maxRevocations);
  let lastGood: Moment | undefined;
  let failures = 0;
  let failure: unknown;
  let isLost = false;
  let inFlight: Promise<void> | undefined;
  let cancelTimer = (): void => {};
  /** When the current poll started or received its last byte. */
  let lastActivity: Moment = now();
  /**
   * All entries up to this cursor are known. It stays valid if a response, such as one of an older replica, contains no
   * cursor.
   */
  let cursor: string | undefined;
  /** Whether a response had `refreshes`. From then on the cursor is always of a replica that sends them. */
  let hasRefreshes = false;

  const url = `${address}/.well-known/service-revocations.json`;
  const document = createDocument(
    {
      url: () => (cursor === undefined ? url : `${url}?after=${encodeURIComponent(cursor)}`),
      check: requireUncached,
      fetch,
      maxBytes: BYTES.document + BYTES.entry * maxRevocations,
      timeoutMs: TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onBytes: () => {
        lastActivity = now();
      },
      signal: closing.signal,
    },
    (body, answer) => {
      const asked = cursor;
      // If merging fails, the next poll requests the full feed.
      cursor = undefined;
      requireRecent(body, answer);
      const { partial, cursor: next } = membersOf(body);
      if (partial === true && asked === undefined)
        throw new Error('the feed is partial, but the full feed was requested');
      const refreshes = readRefreshes(body);
      const isFirst = refreshes !== undefined && !hasRefreshes;
      hasRefreshes ||= isFirst;
      // The cursor was of an older replica, which did not send the refreshes up to it.
      if (isFirst && partial === true) throw new Error('the feed is partial, but earlier feeds had no refreshes');
      stale.merge(refreshes ?? NO_REFRESHES, revoked.merge(body));
      const isUsable = typeof next === 'string' && next.length <= MAX_CURSOR_LENGTH;
      cursor = isUsable && (refreshes || !hasRefreshes) ? next : asked;
    },
  );

  const isFresh = (): boolean => lastGood !== undefined && age(lastGood) <= MAX_AGE_MS && !closing.signal.aborted;

  const reportState = (lost: boolean): void => {
    if (lost === isLost) return;
    isLost = lost;
    // An error in `onFeed`, thrown or rejected, must not stop the polling.
    new Promise((resolve) => {
      resolve(onFeed(lost ? 'lost' : 'regained', failure));
    }).catch(() => {});
  };

  /** Never rejects; `failures` and `failure` contain the result. */
  const poll = (): Promise<void> => {
    if (closing.signal.aborted) return Promise.resolve();
    cancelTimer();
    inFlight ??= pollOnce().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };

  const pollOnce = async (): Promise<void> => {
    const start = now();
    lastActivity = start;
    try {
      await document.update();
      lastGood = start;
      failures = 0;
      failure = undefined;
    } catch (error) {
      failure = error;
      // If the timer is far too late, this process slept or was busy; the service may be fine.
      if (age(lastActivity) <= IDLE_TIMEOUT_MS + STALLED_MS) failures++;
    }
    if (closing.signal.aborted) return;
    if (isFresh() || failures > 0) reportState(!isFresh());
    // A slow poll is followed immediately by the next one, a failed poll after a growing delay.
    const wait =
      failures > 0
        ? Math.min(POLL_INTERVAL_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
        : Math.max(0, POLL_INTERVAL_MS - age(start));
    cancelTimer = later(wait, poll);
  };

  /** Polls again if the first poll took too long: the feed was large, or the machine slept meanwhile. */
  const pollTwice = async (): Promise<void> => {
    if (!isFresh()) await poll();
    if (!isFresh() && failures === 0) await poll();
  };

  const unreachable = () =>
    new VerifyError('service_unreachable', 'the list of revoked sessions cannot be read at the moment', {
      cause: failure,
    });

  return {
    isFresh,
    async freshen() {
      // After a failure callers do not wait: a retry is scheduled.
      if (failures === 0) await pollTwice();
      if (!isFresh() && (whenFeedFails === 'refuse' || closing.signal.aborted)) throw unreachable();
    },
    async ready() {
      await pollTwice();
      if (!isFresh()) throw unreachable();
    },
    stateOf: revoked.stateOf,
    isStale: stale.isStale,
    close() {
      cancelTimer();
      closing.abort();
    },
  };
}

const NO_REFRESHES = new Map<string, never>();

/** Longer cursors exceed the URL limits of some servers and proxies. */
const MAX_CURSOR_LENGTH = 2_000;

/** Throws if a cache sent the response: it may be outdated. An `Age` that is not a number counts as old. */
function requireUncached({ age: cachedFor }: Answer): void {
  if (cachedFor !== undefined && !(Number(cachedFor) < 1)) throw new Error('the feed comes from a cache');
}

/** The maximum time from `generated_at` to `Date`, both by the clock of the service. */
const MAX_SEND_DELAY_MS = 2_000;

function requireRecent(body: unknown, { date }: Answer): void {
  if (date === undefined) return;
  const made = Date.parse(String(membersOf(body).generated_at));
  if (!(Date.parse(date) - made <= MAX_SEND_DELAY_MS))
    throw new Error('the feed is outdated: generated_at is too long before Date');
}
