export interface Verdict {
  /** The median of the second set of times divided by the median of the first set. */
  readonly ratio: number;
  /** The probability of such ranks if there is no difference (Mann-Whitney, two-sided, by the normal approximation). */
  readonly p: number;
}

export function compare(first: readonly number[], other: readonly number[]): Verdict {
  return { ratio: median(other) / median(first), p: mannWhitney(first, other) };
}

/** True if the medians differ by more than 2 %, or if the probability of chance is very small. */
export const isDistinguishable = ({ ratio, p }: Verdict): boolean => p < 0.001 || Math.abs(ratio - 1) > 0.02;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle - 1)]! + sorted[Math.floor(middle)]!) / 2;
}

export function mannWhitney(first: readonly number[], other: readonly number[]): number {
  const [n, m] = [first.length, other.length];
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...other.map((value) => ({ value, isFirst: false })),
  ].sort((left, right) => left.value - right.value);
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]!.value === all[from]!.value) to++;
    // Equal values share the mean of their ranks.
    const rank = (from + 1 + to) / 2;
    ranks += rank * all.slice(from, to).filter(({ isFirst }) => isFirst).length;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  const u = ranks - (n * (n + 1)) / 2;
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (variance === 0) return 1;
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / Math.sqrt(variance);
  return 2 * upperTail(z);
}

/** The upper tail of the normal distribution, to seven digits (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
