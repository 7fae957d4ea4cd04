import { surroundings } from './holder.ts';

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Nobody waits for the turn of another without end: an answer may never come. */
const LONGEST = 30_000;

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, milliseconds);
  });

/** Until it is done, well or not; or has taken too long. */
const over = (work: Promise<unknown>): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, LONGEST);
    const end = () => {
      clearTimeout(timer);
      done();
    };
    work.then(end, end);
  });

/** One after another, of those who share it. */
export function createTurns(): InTurn {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = last.then(() => over(turn));
    return turn;
  };
}

const LOCK = 'gatehouse-refresh';

/** Over all tabs of a browser, where it has locks; otherwise of this page. */
export function createTabTurns(): InTurn {
  const here = createTurns();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const { locks } = surroundings.navigator ?? {};
    if (!locks) return here(work);
    let turn: Promise<T> | undefined;
    const hold = (): Promise<void> => {
      turn = work();
      return over(turn);
    };
    // Some pages have them and may not use them: a frame without an origin.
    await locks.request(LOCK, hold).catch(() => {});
    return turn ?? here(work);
  };
}
