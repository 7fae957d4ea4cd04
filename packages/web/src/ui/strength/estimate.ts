import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Text } from './text/en.ts';

/** As many characters as the service scores for PASSWORD_MIN_STRENGTH. More would take longer and change little. */
const MAX_LENGTH = 100;

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MAX_LENGTH });

export type Score = 0 | 1 | 2 | 3 | 4;
export type Warning = keyof Text['warnings'];

interface Estimate {
  readonly score: Score;
  /** Why the password is easy to guess. */
  readonly warning: string | null;
}

/** Without translations, the library returns the keys of its warnings. */
export function estimate(password: string, related: readonly string[]): Estimate {
  const { score, feedback } = estimator.check(password, wordsOf(related));
  return { score: score as Score, warning: feedback.warning };
}

/** Values and their parts: of an address, the part before the `@` and the names in it. */
const wordsOf = (related: readonly string[]): string[] =>
  related.flatMap((value) => [value, ...value.split(/[^\p{L}\p{N}]+/u)]).filter((word) => word.length > 2);
