import type { Text } from '../text/en.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The choices of the form, in seconds. */
const AGES = [15 * MINUTE, HOUR, 8 * HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY] as const;

export function ageInWords(seconds: number | null, t: Text['policy']['ages']): string {
  if (seconds === null) return t.never;
  if (seconds % DAY === 0) return t.days(seconds / DAY);
  if (seconds % HOUR === 0) return t.hours(seconds / HOUR);
  return t.minutes(Math.round(seconds / MINUTE));
}

/** Includes the current value, which may have been set by a program. */
export const ageChoices = (current: number | null, t: Text['policy']['ages']) =>
  [...new Set<number | null>([null, ...AGES, current])]
    .sort((left, right) => (left ?? 0) - (right ?? 0))
    .map((seconds) => ({ value: String(seconds ?? ''), label: ageInWords(seconds, t) }));
