import { describe, expect, it } from 'vitest';
import { LEAST_ROUNDS, medianInterval, verdictOf } from './interval.ts';

const ratios = (...values: number[]) => verdictOf(medianInterval(values));

describe('medianInterval', () => {
  it('the interval runs from minimum to maximum for up to eight ratios; for nine or more it leaves out extremes at both ends', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3, coverage: 0.75 });
    expect(medianInterval([8, 7, 6, 5, 4, 3, 2, 1])).toMatchObject({ median: 4.5, low: 1, high: 8 });
    expect(medianInterval([9, 8, 7, 6, 5, 4, 3, 2, 1])).toMatchObject({ median: 5, low: 2, high: 8 });
    expect(medianInterval(Array.from({ length: 12 }, (_, index) => index))).toMatchObject({ low: 2, high: 9 });
  });

  it('the interval has a confidence of at least 95 % from LEAST_ROUNDS rounds on, and less with fewer rounds', () => {
    const coverage = (count: number) => medianInterval(Array.from({ length: count }, () => 1)).coverage;
    expect(coverage(LEAST_ROUNDS)).toBeGreaterThanOrEqual(0.95);
    expect(coverage(LEAST_ROUNDS - 1)).toBeLessThan(0.95);
    for (let count = LEAST_ROUNDS; count <= 200; count++) {
      expect(coverage(count)).toBeGreaterThanOrEqual(0.95);
      expect(coverage(count)).toBeLessThan(1);
    }
  });
});

describe('verdictOf', () => {
  it('the verdict is "within 5 %" only if the whole interval is within 5 %', () => {
    expect(ratios(0.96, 0.98, 1, 1.01, 1.02, 1.04)).toBe('within 5 %');
    expect(ratios(0.96, 0.98, 1, 1.01, 1.02, 1.06)).toBe('undecided: more rounds');
    expect(ratios(0.9, 0.98, 1, 1.01, 1.02, 1.04)).toBe('at most 5 % above');
    expect(ratios(1.06, 1.1, 1.2, 1.1, 1.2, 1.1)).toBe('more than 5 % above');
    expect(ratios(0.9, 0.9, 0.9, 0.9, 0.94, 0.9)).toBe('more than 5 % below');
  });

  it('one outlier among nine rounds does not change the verdict', () => {
    expect(ratios(1, 1, 1, 1, 1, 1, 1, 1, 3)).toBe('within 5 %');
  });

  it('gives no verdict for fewer rounds than the confidence needs', () => {
    expect(ratios(1, 1, 1, 1, 1)).toBe('too few rounds: at least 6');
  });
});
