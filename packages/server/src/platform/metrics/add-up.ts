import type { Family, Sample } from './exposition.ts';

/**
 * The figures of several processes as if one had kept them: counters and histograms are added, gauges follow the rule of
 * their family. Families and samples keep the order in which they were first seen.
 */
export function addUp(all: readonly (readonly Family[])[]): Family[] {
  const byName = new Map<string, Family[]>();
  for (const family of all.flat()) {
    const known = byName.get(family.name);
    if (known) known.push(family);
    else byName.set(family.name, [family]);
  }
  return [...byName.values()].map((same) => ({ ...same[0]!, samples: addUpSamples(same) }));
}

/** What was counted stays counted when the process that did it is gone; its gauges are gone with it. */
export const lastingOf = (families: readonly Family[]): Family[] => families.filter(({ type }) => type !== 'gauge');

function addUpSamples(same: readonly Family[]): Sample[] {
  const combine = ruleOf(same[0]!);
  const sums = new Map<string, Sample>();
  for (const sample of same.flatMap(({ samples }) => samples)) {
    const key = JSON.stringify([sample.suffix, sample.labels]);
    const known = sums.get(key);
    sums.set(key, known ? { ...known, value: combine(known.value, sample.value) } : sample);
  }
  return [...sums.values()];
}

type Combine = (one: number, other: number) => number;

const RULES: Record<string, Combine> = { sum: (one, other) => one + other, max: Math.max, min: Math.min };

/** NaN: a process that has nothing to say, such as the age of a key it has not read yet. It speaks for none of the others. */
function ruleOf(family: Family): Combine {
  const combine = RULES[family.type === 'gauge' ? family.across : 'sum']!;
  return (one, other) => (Number.isNaN(one) ? other : Number.isNaN(other) ? one : combine(one, other));
}
