import type { Result } from './race.ts';

/** A goal and what came of it, a row of the summary. */
export interface Verdict {
  readonly operation: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: string;
  readonly goal: string;
  readonly met: boolean;
}

/** Undefined when one of the contestants was not there. */
export type Goal = (find: (name: string) => Result | undefined) => Verdict | undefined;

export const perSecond = (rate: number): string =>
  `${rate.toLocaleString('en', { maximumFractionDigits: rate < 100 ? 1 : 0 })}/s`;
export const milliseconds = (time: number): string => `${time.toFixed(time < 10 ? 2 : time < 100 ? 1 : 0)} ms`;

/** Answers that are no answers are no feat: with errors, no goal is met. */
const faultless = (...results: readonly Result[]): boolean => results.every(({ errors }) => errors === 0);

/** So much of another one's rate. */
export const atLeast =
  (share: number, ours: string, other: string): Goal =>
  (find) => {
    const [we, they] = [find(ours), find(other)];
    if (!we || !they) return undefined;
    const ratio = we.rate / they.rate;
    const digits = share < 10 ? 2 : 0;
    return {
      operation: ours,
      ours: perSecond(we.rate),
      limit: `${other}: ${perSecond(they.rate)}`,
      ratio: `${ratio.toFixed(digits)} ×`,
      goal: `≥ ${share.toFixed(share < 2 ? 2 : 0)} ×`,
      met: ratio >= share && faultless(we, they),
    };
  };

/** 99 of a hundred answered within so many milliseconds. */
export const p99Within =
  (limit: number, ours: string): Goal =>
  (find) => {
    const we = find(ours);
    return (
      we && {
        operation: ours,
        ours: `p99 ${milliseconds(we.p99)}`,
        limit: '',
        ratio: '',
        goal: `p99 ≤ ${limit} ms`,
        met: we.p99 <= limit && faultless(we),
      }
    );
  };

/** A measured figure that must stay below another. */
export const atMost = (
  operation: string,
  measured: number,
  limit: number,
  print: (value: number) => string,
): Verdict => ({
  operation,
  ours: print(measured),
  limit: '',
  ratio: '',
  goal: `≤ ${print(limit)}`,
  met: measured <= limit,
});
