/** Both ends belong to it. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export const HOUR = 3_600_000;

/** The beginning of its hour, UTC. */
export const hourOf = (date: Date): Date => new Date(Math.floor(date.getTime() / HOUR) * HOUR);

export const isBounded = ({ from, to }: TimeRange): boolean => from !== undefined || to !== undefined;

/** It ends before it begins. */
export const isEmpty = ({ from, to }: TimeRange): boolean => from !== undefined && to !== undefined && from > to;

/** Moments as RFC 3339 writes them, in any offset. */
export const readRange = ({ from, to }: { from?: string; to?: string }): TimeRange => ({
  from: from === undefined ? undefined : new Date(Date.parse(from) + (isFiner(from) ? 1 : 0)),
  to: to === undefined ? undefined : new Date(to),
});

/**
 * Rows are told to the millisecond. What is finer is cut off by the parser, and a beginning would let in rows before it: it
 * is the next millisecond.
 */
const isFiner = (moment: string): boolean => /\.\d{3}\d*[1-9]/.test(moment);
