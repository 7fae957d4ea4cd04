export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** The probability that `low` to `high` contains the true median, whatever the distribution of the ratios. */
  readonly coverage: number;
}

const CONFIDENCE = 0.95;
const TOLERANCE = 0.05;

/** Below this number of ratios even their minimum and maximum cover less than `CONFIDENCE`. */
export const LEAST_ROUNDS = 6;

/**
 * The median of independent ratios and the narrowest pair of order statistics that covers it with 95 % (the interval of
 * the sign test). It assumes nothing about the distribution, and gets narrower with more ratios. With fewer than six
 * ratios, the pair is their minimum and maximum, with a lower coverage.
 */
export function medianInterval(ratios: readonly number[]): Interval {
  const sorted = [...ratios].sort((left, right) => left - right);
  const count = sorted.length;
  let dropped = 0;
  while (coverageWithout(dropped + 1, count) >= CONFIDENCE) dropped++;
  const [middle, below] = [sorted[Math.floor(count / 2)]!, sorted[Math.ceil(count / 2) - 1]!];
  return {
    median: (middle + below) / 2,
    low: sorted[dropped]!,
    high: sorted[count - 1 - dropped]!,
    coverage: coverageWithout(dropped, count),
  };
}

/** The coverage of the interval that omits this number of ratios at each end. */
function coverageWithout(dropped: number, count: number): number {
  let ways = 1;
  let outside = 0;
  for (let below = 0; below <= dropped; below++) {
    outside += ways;
    ways = (ways * (count - below)) / (below + 1);
  }
  return 1 - (2 * outside) / 2 ** count;
}

export function verdictOf({ low, high, coverage }: Interval): string {
  if (coverage < CONFIDENCE) return `too few rounds: at least ${LEAST_ROUNDS}`;
  if (low > 1 + TOLERANCE) return 'more than 5 % above';
  if (high < 1 - TOLERANCE) return 'more than 5 % below';
  if (high > 1 + TOLERANCE) return 'undecided: more rounds';
  return low < 1 - TOLERANCE ? 'at most 5 % above' : 'within 5 %';
}
