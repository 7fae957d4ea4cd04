import type { Family, Sample } from './exposition.ts';

/** Adds counters and histograms of all processes, and combines gauges by the rule of their family. Keeps the order. */
export function addUp(all: readonly (readonly Family[])[]): Family[] {
  const byName = new Map<string, Family[]>();
  for (const family of all.flat()) {
    const known = byName.get(family.name);
    if (known) known.push(family);
    else byName.set(family.name, [family]);
  }
  return [...byName.values()].map((same) => ({ ...same[0]!, samples: addUpSamples(same) }));
}

/** Counters and histograms outlive the process that recorded them; gauges do not. */
export const lastingOf = (families: readonly Family[]): Family[] => families.filter(({ type }) => type !== 'gauge');

function addUpSamples(same: readonly Family[]): Sample[] {
  const combine = ruleOf(same[0]!);
  const sums = new Map<string, Sample>();
  for (const sample of same.flatMap(({ samples }) => samples)) {
    const key = JSON.stringify([sample.suffix, sample.labels, sample.le]);
    const known = sums.get(key);
    sums.set(key, known ? { ...known, value: combine(known.value, sample.value) } : sample);
  }
  return [...sums.values()];
}

type Combine = (one: number, other: number) => number;

const RULES: Record<string, Combine> = { sum: (one, other) => one + other, max: Math.max, min: Math.min };

/** NaN is a missing value, such as the age of a key not read yet, and is ignored if other processes have one. */
function ruleOf(family: Family): Combine {
  const combine = RULES[family.type === 'gauge' ? family.across : 'sum']!;
  return (one, other) => (Number.isNaN(one) ? other : Number.isNaN(other) ? one : combine(one, other));
}
