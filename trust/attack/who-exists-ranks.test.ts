import { describe, expect, it } from 'vitest';
import { compare, isDistinguishable, mannWhitney, median } from './who-exists-ranks-fixture.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** Values like measured times: most are near the minimum, some far above it. */
const times = (seed: number, count: number, factor = 1) => {
  const next = random(seed);
  return Array.from({ length: count }, () => factor * (5 - 0.3 * Math.log(next())));
};

describe('the rank test', () => {
  it('computes the median of odd and even numbers of values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it('computes the same p as mannwhitneyu(method="asymptotic") of SciPy', () => {
    expect(mannWhitney([1, 2, 3, 5, 8], [4, 6, 7, 9, 10, 11])).toBeCloseTo(0.0552342, 5);
    const ten = Array.from({ length: 10 }, (_, index) => index);
    const later = ten.map((value) => value + 100);
    expect(mannWhitney(ten, later)).toBeCloseTo(0.0001827, 6);
    expect(mannWhitney([1, 1, 2, 2, 3, 3], [2, 3, 3, 4, 4, 5, 5])).toBeCloseTo(0.0233367, 5);
  });

  it('finds no difference between equal sets, in any order and with ties, and is symmetric', () => {
    expect(mannWhitney([1, 1, 1], [1, 1, 1])).toBe(1);
    expect(mannWhitney([1, 2, 3, 4], [4, 3, 2, 1])).toBeCloseTo(1, 6);
    const [one, other] = [times(1, 300), times(2, 300)];
    expect(mannWhitney(one, other)).toBeCloseTo(mannWhitney(other, one), 12);
  });

  it('distinguishes times that differ by 3 %, and not those of one distribution', () => {
    for (let seed = 1; seed <= 20; seed++) {
      expect(isDistinguishable(compare(times(seed, 300), times(seed + 100, 300, 1.03)))).toBe(true);
      expect(compare(times(seed, 300), times(seed + 100, 300)).p).toBeGreaterThan(0.001);
    }
  });
});
