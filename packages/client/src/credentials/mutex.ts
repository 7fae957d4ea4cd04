import { browserGlobals } from './browser-globals.ts';

/** What is done in a turn, and the signal that ends it. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

/** `patience`: how long the turn of another is waited for. Then it is gone on without. */
export type RunExclusive = <T>(work: Work<T>, waitMs?: number) => Promise<T>;

/** An answer may never come: what has not been done in this time is given up, so that it cannot undo what others do after it. */
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

/** Whichever is first. */
function within(turn: Promise<void>, waitMs: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, waitMs);
    void turn.then(() => {
      clearTimeout(timer);
      done();
    });
  });
}

/** One after another, of those who share it. */
export function createMutex(): RunExclusive {
  let last: Promise<void> = Promise.resolve();
  return (work, waitMs = TIMEOUT_MS) => {
    const turn = within(last, waitMs).then(() => limited(work));
    const over = turn.then(
      () => {},
      () => {},
    );
    last = Promise.all([last, over]).then(() => {});
    return turn;
  };
}

const LOCK = 'gatehouse-refresh';

/** Over all tabs of a browser, where it has locks; otherwise of this page. */
export function createTabMutex(): RunExclusive {
  const here = createMutex();
  return async <T>(work: Work<T>, waitMs = TIMEOUT_MS): Promise<T> => {
    const { locks } = browserGlobals.navigator ?? {};
    if (!locks) return here(work, waitMs);
    let turn: Promise<T> | undefined;
    const hold = async (): Promise<void> => {
      turn = limited(work);
      await turn.catch(() => {});
    };
    // It may not come: the page that holds it may be asleep. And some pages have locks and may not use them: a frame without an origin.
    await locks.request(LOCK, { signal: AbortSignal.timeout(waitMs) }, hold).catch(() => {});
    return turn ?? here(work, 0);
  };
}
