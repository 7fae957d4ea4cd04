import type { RawLine, RawRequest } from './raw-line-fixture.ts';
import { compare, isDistinguishable, median, type Verdict } from './who-exists-ranks-fixture.ts';

/** One variant of a question. All variants of a question must take equally long. */
export interface Branch {
  readonly name: string;
  request(): RawRequest;
}

export interface Sampling {
  readonly line: RawLine;
  readonly status: number;
  /** Runs before every `every` requests; its time is not measured. */
  readonly before?: { readonly every: number; refresh(): Promise<void> };
}

/** Measures the branches in random order, so that disturbances and leftover work of other requests affect all alike. */
async function sample(branches: readonly Branch[], count: number, { line, status, before }: Sampling) {
  const times = new Map<string, number[]>(branches.map(({ name }) => [name, []]));
  const order = shuffled(branches.flatMap((branch) => Array<Branch>(WARM_UP + count).fill(branch)));
  for (const [index, { name, request }] of order.entries()) {
    if (before && index % before.every === 0) await before.refresh();
    const answer = await line.ask(request());
    if (answer.status !== status) throw new Error(`${name} was answered ${answer.status}: ${answer.body}`);
    times.get(name)!.push(answer.ms);
  }
  for (const taken of times.values()) taken.splice(0, WARM_UP);
  return times;
}

const WARM_UP = 10;
const MAX_SAMPLINGS = 3;

function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items];
  for (let left = result.length; left > 1; left--) {
    const chosen = Math.floor(Math.random() * left);
    [result[left - 1], result[chosen]] = [result[chosen]!, result[left - 1]!];
  }
  return result;
}

interface Found {
  readonly branch: string;
  /** The medians of the first branch and of this one, in milliseconds. */
  readonly medians: readonly [number, number];
  readonly verdict: Verdict;
  /** The number of samplings. Branches are distinguishable only if every sampling differs in the same direction. */
  readonly looks: number;
  readonly isDistinguishable: boolean;
}

/** Compares each branch with the first. Samples branches that seem to differ again: disturbances do not repeat. */
export async function timeApart(
  [first, ...others]: readonly [Branch, ...Branch[]],
  count: number,
  sampling: Sampling,
): Promise<Found[]> {
  const found = new Map<string, Found>();
  let suspects: readonly Branch[] = others;
  for (let attempt = 1; attempt <= MAX_SAMPLINGS && suspects.length > 0; attempt++) {
    const times = await sample([first, ...suspects], count * attempt, sampling);
    for (const { name } of suspects) {
      const verdict = compare(times.get(first.name)!, times.get(name)!);
      const before = found.get(name)?.verdict;
      const isAgain = before === undefined || before.ratio > 1 === verdict.ratio > 1;
      found.set(name, {
        branch: name,
        medians: [median(times.get(first.name)!), median(times.get(name)!)],
        verdict,
        looks: attempt,
        isDistinguishable: isDistinguishable(verdict) && isAgain,
      });
    }
    suspects = suspects.filter(({ name }) => found.get(name)!.isDistinguishable);
  }
  return [...found.values()];
}

export const describeFound = (first: string, { branch, medians, verdict: { ratio, p }, looks }: Found): string =>
  `${first} ${medians[0].toFixed(2)} ms, ${branch} ${medians[1].toFixed(2)} ms (${((ratio - 1) * 100).toFixed(1)} %), p ${p < 0.001 ? '< 0.001' : p.toFixed(3)}${looks > 1 ? `, ${looks} looks` : ''}`;
