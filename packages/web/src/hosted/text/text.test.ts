import { OAUTH_FAILURES } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { text as german } from './de.ts';
import { text as english } from './en.ts';

/** Returns every sentence with its path. Sentences with parameters are called with an example. */
function sentencesOf(part: unknown, path = ''): [string, string][] {
  if (typeof part === 'string') return [[path, part]];
  if (typeof part === 'function') return [[path, String(part({ by: 'x', organization: 'x', role: 'x', until: 'x' }))]];
  return Object.entries(part as object).flatMap(([name, inner]) => sentencesOf(inner, `${path}.${name}`));
}

describe('the texts of the hosted pages', () => {
  it('no German text equals the English one', () => {
    const said = new Map(sentencesOf(english));
    expect(sentencesOf(german).filter(([path, sentence]) => said.get(path) === sentence)).toEqual([]);
  });

  it('each failure of a third-party sign-in has its own sentence', () => {
    for (const { thirdParty } of [english, german]) {
      expect(Object.keys(thirdParty.failures)).toEqual(Object.keys(OAUTH_FAILURES));
      expect(new Set(Object.values(thirdParty.failures)).size).toBe(Object.keys(OAUTH_FAILURES).length);
    }
  });
});
