import { browserGlobals } from './browser-globals.ts';

/** Work that needs the mutex. The signal aborts it after `TIMEOUT_MS`. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

/** `waitMs`: how long to wait for the mutex. After that `work` runs without it. */
export type RunExclusive = <T>(work: Work<T>, waitMs?: number) => Promise<T>;

/** A response may never come: work is aborted after this time, so that it cannot undo what ran after it. */
export const TIMEOUT_MS = 30_000;

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, milliseconds);
  });

const limited = async <T>(work: Work<T>): Promise<T> => {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('no answer came in time', 'TimeoutError')), TIMEOUT_MS);
  return work(limit.signal).finally(() => clearTimeout(timer));
};

/** Resolves when `previous` does, after `waitMs` at the latest. */
function within(previous: Promise<void>, waitMs: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, waitMs);
    void previous.then(() => {
      clearTimeout(timer);
      done();
    });
  });
}

/** Serializes the work of all callers that share the returned function. */
export function createMutex(): RunExclusive {
  let last: Promise<void> = Promise.resolve();
  return (work, waitMs = TIMEOUT_MS) => {
    const result = within(last, waitMs).then(() => limited(work));
    const settled = result.then(
      () => {},
      () => {},
    );
    last = Promise.all([last, settled]).then(() => {});
    return result;
  };
}

const LOCK = 'gatehouse-refresh';

/** Serializes work across all tabs if the browser has Web Locks, otherwise within this page. */
export function createTabMutex(): RunExclusive {
  const pageMutex = createMutex();
  return async <T>(work: Work<T>, waitMs = TIMEOUT_MS): Promise<T> => {
    const { locks } = browserGlobals.navigator ?? {};
    if (!locks) return pageMutex(work, waitMs);
    let result: Promise<T> | undefined;
    const onGranted = async (): Promise<void> => {
      result = limited(work);
      await result.catch(() => {});
    };
    // The lock may not be granted in time: the page that has it may be suspended. A frame with an opaque origin has
    // `locks` but may not use them.
    await locks.request(LOCK, { signal: AbortSignal.timeout(waitMs) }, onGranted).catch(() => {});
    return result ?? pageMutex(work, 0);
  };
}
