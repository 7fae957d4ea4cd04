import { counted } from '../support/text.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `3 days`, `2 hours`: in the largest unit that fits. */
export function lasting(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit ? counted(Math.floor(seconds / unit[1]), unit[0]) : counted(seconds, 'second');
}

export const between = (from: Date, to: Date): string => lasting(to.getTime() - from.getTime());
