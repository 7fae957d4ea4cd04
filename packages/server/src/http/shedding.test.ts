import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SETTINGS } from '../platform/config/settings.ts';
import { isNeverShed, watchLoad } from './shedding.ts';

const { fallback } = SETTINGS.OVERLOAD_DELAY_MS;

let now = 0;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Whether it is overloaded after each of these waits between two ticks, one after another. */
function ticking(waits: readonly number[], maxDelayMs: number = fallback): boolean[] {
  const load = watchLoad({ maxDelayMs });
  const seen = waits.map((wait) => {
    now += wait;
    vi.advanceTimersByTime(20);
    return load.overloaded(0);
  });
  load.stop();
  return seen;
}

/** As many ticks as there are between two looks. */
const quiet = Array<number>(13).fill(20);

it('one long stop is over when it is seen; a second one in a row is a load, until a look finds none', () => {
  expect(ticking([501, ...quiet, 501])).not.toContain(true);
  expect(ticking([501, 501, 900, ...quiet, 501])).toEqual([false, true, true, ...Array(12).fill(true), false, false]);
});

it('a stop among many ticks is none, two of them are', () => {
  const many = Array<number>(11).fill(20);
  expect(ticking([...many, 600, ...many, 600])).not.toContain(true);
  const few = Array<number>(5).fill(20);
  expect(ticking([...few, 600, ...few, 600]).at(-1)).toBe(true);
});

it('half a second is no load yet', () => {
  expect(ticking([500, 500, 500])).not.toContain(true);
});

it('turns that are nearly as long as a look are not added up', () => {
  expect(ticking([240, 240, 240, 240, 240, 240], 300)).not.toContain(true);
  expect(ticking([240, 240, 240, 240, 240, 240], 230).at(-1)).toBe(true);
});

it('whoever allows for more gets more', () => {
  expect(ticking([9_000, 10_001, 10_001], 10_000)).toEqual([false, false, true]);
});

it('more than 2,000 requests at once are a load whatever the loop does', () => {
  const load = watchLoad({ maxDelayMs: fallback });
  expect([2_000, 2_001].map(load.overloaded)).toEqual([false, true]);
  load.stop();
});

it('never sheds probes and what verifiers poll, whatever follows the path', () => {
  const spared = ['/healthz', '/readyz', '/readyz?verbose', '/.well-known/jwks.json', '/.well-known/anything?after=x'];
  const shed = ['/', '/metrics', '/v1/auth/session', '/healthz/more', '/v1/.well-known/jwks.json', '/x?/healthz'];
  expect([...spared, ...shed].filter(isNeverShed)).toEqual(spared);
});
