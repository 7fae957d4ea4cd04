import type { Result } from './race.ts';

export interface Verdict {
  readonly operation: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: string;
  readonly goal: string;
  /** Undefined if no goal is set. */
  readonly met: boolean | undefined;
}

/** Returns undefined if one of the contestants is missing. */
export type Goal = (find: (name: string) => Result | undefined) => Verdict | undefined;

export const perSecond = (rate: number): string =>
  `${rate.toLocaleString('en', { maximumFractionDigits: rate < 100 ? 1 : 0 })}/s`;
export const milliseconds = (time: number): string => `${time.toFixed(time < 10 ? 2 : time < 100 ? 1 : 0)} ms`;

/** A goal is not met if a request failed. */
const faultless = (...results: readonly Result[]): boolean => results.every(({ errors }) => errors === 0);

/** Goal: the rate of `ours` is at least this share of the rate of `other`. */
export const atLeast =
  (share: number, ours: string, other: string): Goal =>
  (find) => {
    const [own, reference] = [find(ours), find(other)];
    if (!own || !reference) return undefined;
    const ratio = own.rate / reference.rate;
    const digits = share < 10 ? 2 : 0;
    return {
      operation: ours,
      ours: perSecond(own.rate),
      limit: `${other}: ${perSecond(reference.rate)}`,
      ratio: `${ratio.toFixed(digits)} ×`,
      goal: `≥ ${share.toFixed(share < 2 ? 2 : 0)} ×`,
      met: ratio >= share && faultless(own, reference),
    };
  };

/** Reports the ratio of the two rates, without a goal. Undefined if a request failed. */
export const ratioTo =
  (ours: string, other: string): Goal =>
  (find) => {
    const verdict = atLeast(0, ours, other)(find);
    return verdict?.met ? { ...verdict, goal: '', met: undefined } : undefined;
  };

/** Goal: the 99th percentile is within this limit in milliseconds. */
export const p99Within =
  (limit: number, ours: string): Goal =>
  (find) => {
    const own = find(ours);
    return (
      own && {
        operation: ours,
        ours: `p99 ${milliseconds(own.p99)}`,
        limit: '',
        ratio: '',
        goal: `p99 ≤ ${limit} ms`,
        met: own.p99 <= limit && faultless(own),
      }
    );
  };

/** Goal: the 99th percentile is at most this many times that of `other`. */
export const p99AtMost =
  (factor: number, ours: string, other: string): Goal =>
  (find) => {
    const [own, reference] = [find(ours), find(other)];
    if (!own || !reference) return undefined;
    return {
      operation: ours,
      ours: `p99 ${milliseconds(own.p99)}`,
      limit: `${other}: p99 ${milliseconds(reference.p99)}`,
      ratio: `${(own.p99 / reference.p99).toFixed(2)} ×`,
      goal: `≤ ${factor.toFixed(2)} ×`,
      met: own.p99 <= factor * reference.p99 && faultless(own, reference),
    };
  };

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
