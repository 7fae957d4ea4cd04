import { after, type Clock } from '../src/platform/clock.ts';

export interface TestClock extends Clock {
  set(time: Date): void;
  /** `by` is in seconds. */
  advance(by: number): void;
}

export function createTestClock(start = new Date('2030-01-15T12:00:00.000Z')): TestClock {
  let time = start;
  return {
    now: () => new Date(time),
    set(to) {
      time = to;
    },
    advance(by) {
      time = after(time, by);
    },
  };
}
