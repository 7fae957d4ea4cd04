import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SETTINGS } from '../platform/config/settings.ts';
import { watchLoad } from './shedding.ts';

const { OVERLOAD_DELAY_MS } = SETTINGS;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A load whose looks, four a second, find these delays of the loop one after another. */
function looking(delays: readonly number[], maxDelayMs = OVERLOAD_DELAY_MS.fallback) {
  const left = [...delays];
  const reset = vi.fn();
  const delay = { enable: () => true, disable: () => true, reset, count: 12, percentile: () => left.shift()! * 1e6 };
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

it('turns so long that none is counted between two looks are a load, as long as they are', () => {
  const ends = [0, 501, 1_002, 1_502, 2_003, 2_504].values();
  vi.spyOn(performance, 'now').mockImplementation(() => ends.next().value!);
  const delay = { enable: () => true, disable: () => true, reset: () => {}, count: 0, percentile: () => 511 };
  const load = watchLoad({ delay, maxDelayMs: OVERLOAD_DELAY_MS.fallback });
  const seen = Array.from({ length: 5 }, () => {
    vi.advanceTimersByTime(250);
    return load.overloaded(0);
  });
  expect(seen).toEqual([false, true, false, false, true]);
  load.stop();
});

it('half a second is no load yet', () => {
  expect(looking([500, 500, 500])).toEqual([false, false, false]);
});

it('whoever allows for more gets more', () => {
  expect(looking([9_000, 10_001, 10_001], 10_000)).toEqual([false, false, true]);
});

it('more than 2,000 requests at once are a load whatever the loop does', () => {
  const load = watchLoad({ maxDelayMs: OVERLOAD_DELAY_MS.fallback });
  expect([2_000, 2_001].map(load.overloaded)).toEqual([false, true]);
  load.stop();
});
