import type { Answer } from './bounded-fetch.ts';
import { createDocument, membersOf } from './document.ts';
import { age, later, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import { createRevokedSessions, type RevokedSessions } from './revoked-sessions.ts';
import { VerifyError } from './verify-error.ts';

interface Feed {
  /** A verdict may rest on what is known now. */
  isFresh(): boolean;
  /** Resolves when a verdict may be given; rejects with a VerifyError when it must be refused. The first call begins the polling. */
  freshen(): Promise<void>;
  /** Resolves when it was read just now. */
  ready(): Promise<void>;
  readonly stateOf: RevokedSessions['stateOf'];
  close(): void;
}

const EVERY = 2_000;
/** The service's feed is at most 2 seconds old. With 3 from the start of a poll to a verdict, the promise is 5. */
const MAX_AGE = 3_000;
/** Without a byte. A full feed may be long: its whole may take more, and a partial one that follows makes it fresh. */
const IDLE_TIMEOUT = 2_000;
const TIMEOUT = 15_000;
const STALLED = 500;
const FIRST_RETRY = 250;
/** Beside the entries; and of one entry, twice what it takes. */
const BYTES = { document: 64 * 1024, entry: 320 };

/**
 * §6: who was signed out, as of a few seconds ago. One poll at a time, whoever asks. By the cursor of the last answer the
 * service tells only what was added since; a service that has no cursors sends all of it each time something changes.
 */
export function createFeed({ address, fetch, whenFeedFails, maxRevocations, onFeed }: Settings): Feed {
  const closing = new AbortController();
  const revoked = createRevokedSessions(maxRevocations);
  let lastGood: Moment | undefined;
  let failures = 0;
  let failure: unknown;
  let isLost = false;
  let underWay: Promise<void> | undefined;
  let callOff = (): void => {};
  /** When the poll under way began, or the last byte of it came. */
  let heard: Moment = now();
  /** Everything up to it is known. One of a service that was upgraded, or answered once without, stays good. */
  let cursor: string | undefined;

  const url = `${address}/.well-known/service-revocations.json`;
  const document = createDocument(
    {
      url: () => (cursor === undefined ? url : `${url}?after=${encodeURIComponent(cursor)}`),
      check: requireUncached,
      fetch,
      maxBytes: BYTES.document + BYTES.entry * maxRevocations,
      timeout: TIMEOUT,
      idleTimeout: IDLE_TIMEOUT,
      onBytes: () => {
        heard = now();
      },
      signal: closing.signal,
    },
    (body, answer) => {
      const asked = cursor;
      // Should it fail, the next poll asks for the full feed.
      cursor = undefined;
      requireRecent(body, answer);
      const { partial, cursor: next } = membersOf(body);
      if (partial === true && asked === undefined) throw new Error('the feed is partial, and all of it was asked for');
      revoked.merge(body);
      cursor = typeof next === 'string' && next.length <= MAX_CURSOR ? next : asked;
    },
  );

  const isFresh = (): boolean => lastGood !== undefined && age(lastGood) <= MAX_AGE && !closing.signal.aborted;

  const tell = (lost: boolean): void => {
    if (lost === isLost) return;
    isLost = lost;
    // The polling goes on, whatever the one who listens does, now or later.
    new Promise((resolve) => {
      resolve(onFeed(lost ? 'lost' : 'regained', failure));
    }).catch(() => {});
  };

  /** Never rejects: `failures` says how it went. */
  const poll = (): Promise<void> => {
    if (closing.signal.aborted) return Promise.resolve();
    callOff();
    underWay ??= pollOnce().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const pollOnce = async (): Promise<void> => {
    const begun = now();
    heard = begun;
    try {
      await document.update();
      lastGood = begun;
      failures = 0;
      failure = undefined;
    } catch (error) {
      failure = error;
      // If the timer is far too late, this process slept or was busy: that says nothing of the service.
      if (age(heard) <= IDLE_TIMEOUT + STALLED) failures++;
    }
    if (closing.signal.aborted) return;
    if (isFresh() || failures > 0) tell(!isFresh());
    // One that took long is followed at once, one that failed after a while that grows.
    const wait = failures > 0 ? Math.min(EVERY, FIRST_RETRY * 2 ** (failures - 1)) : Math.max(0, EVERY - age(begun));
    callOff = later(wait, poll);
  };

  /** The second poll is for a first one that took long: the feed was, or the machine fell asleep in the middle. */
  const pollTwice = async (): Promise<void> => {
    if (!isFresh()) await poll();
    if (!isFresh() && failures === 0) await poll();
  };

  const unreachable = () =>
    new VerifyError('service_unreachable', 'it cannot be learned now which sessions were revoked', { cause: failure });

  return {
    isFresh,
    async freshen() {
      // After a failure nobody waits: the next try is on its way, and the answer is known.
      if (failures === 0) await pollTwice();
      if (!isFresh() && (whenFeedFails === 'refuse' || closing.signal.aborted)) throw unreachable();
    },
    async ready() {
      await pollTwice();
      if (!isFresh()) throw unreachable();
    },
    stateOf: revoked.stateOf,
    close() {
      callOff();
      closing.abort();
    },
  };
}

/** Characters: with more it would not fit into the line of a request everywhere. */
const MAX_CURSOR = 2_000;

/** An answer that was kept on the way is not what the service says now. What is no number of seconds is taken for an age. */
function requireUncached({ age: kept }: Answer): void {
  if (kept !== undefined && !(Number(kept) < 1)) throw new Error('the feed comes from a cache');
}

/** Milliseconds from when a feed was made to when it was sent, both by the clock of the service. */
const MAX_SENT_AFTER = 2_000;

function requireRecent(body: unknown, { date }: Answer): void {
  if (date === undefined) return;
  const made = Date.parse(String(membersOf(body).generated_at));
  if (!(Date.parse(date) - made <= MAX_SENT_AFTER)) throw new Error('the feed is an old one');
}
