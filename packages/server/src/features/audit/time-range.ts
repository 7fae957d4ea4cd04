import { parseMoment } from '@gatehouse/contract';

/** Both ends are inclusive. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export const HOUR_MS = 3_600_000;

export const hourOf = (date: Date): Date => new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);

export const isBounded = ({ from, to }: TimeRange): boolean => from !== undefined || to !== undefined;

export const isEmpty = ({ from, to }: TimeRange): boolean => from !== undefined && to !== undefined && from > to;

/** Parses RFC 3339 timestamps with any offset. */
export const readRange = ({ from, to }: { from?: string; to?: string }): TimeRange => ({
  from: from === undefined ? undefined : new Date(parseMoment(from) + (isFiner(from) ? 1 : 0)),
  to: to === undefined ? undefined : new Date(parseMoment(to)),
});

/** `Date.parse` truncates to milliseconds: a truncated `from` would include rows before it, so it is rounded up. */
const isFiner = (moment: string): boolean => /\.\d{3}\d*[1-9]/.test(moment);
