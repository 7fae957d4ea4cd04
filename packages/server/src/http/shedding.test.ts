import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchLoad } from './shedding.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A load whose looks, four a second, find these delays of the loop one after another. */
function looking(delays: readonly number[], maxDelayMs?: number) {
  const left = [...delays];
  const reset = vi.fn();
  const delay = { enable: () => true, disable: () => true, reset, percentile: () => left.shift()! * 1e6 };
  const load = watchLoad({ delay, maxDelayMs });
  const seen = delays.map(() => {
    vi.advanceTimersByTime(250);
    return load.overloaded(0);
  });
  load.stop();
  expect(reset).toHaveBeenCalledTimes(delays.length);
  return seen;
}

it('one long stop is over when it is seen; a second one in a row is a load, until a look finds none', () => {
  expect(looking([501, 20, 501, 501, 900, 20, 501])).toEqual([false, false, false, true, true, false, false]);
});

it('half a second is no load yet', () => {
  expect(looking([500, 500, 500])).toEqual([false, false, false]);
});

it('who shares the loop with others can leave it out of account', () => {
  expect(looking([9_000, 9_000, 9_000], Number.POSITIVE_INFINITY)).toEqual([false, false, false]);
});

it('more than 2,000 requests at once are a load whatever the loop does', () => {
  const load = watchLoad();
  expect([2_000, 2_001].map(load.overloaded)).toEqual([false, true]);
  load.stop();
});
