import { OAUTH_FAILURES } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { text as moreGerman } from '../results/text/de.ts';
import { text as moreEnglish } from '../results/text/en.ts';
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
    const said = new Map(sentencesOf({ english, moreEnglish }));
    const translated = sentencesOf({ english: german, moreEnglish: moreGerman });
    expect(translated.filter(([path, sentence]) => said.get(path) === sentence)).toEqual([]);
  });

  it('both languages have their own sentences for the same failures of single sign-on', () => {
    expect(Object.keys(moreGerman.ssoFailures)).toEqual(Object.keys(moreEnglish.ssoFailures));
  });

  it('each failure of a third-party sign-in has its own sentence', () => {
    for (const { failures } of [moreEnglish, moreGerman]) {
      expect(Object.keys(failures)).toEqual(Object.keys(OAUTH_FAILURES));
      expect(new Set(Object.values(failures)).size).toBe(Object.keys(OAUTH_FAILURES).length);
    }
  });
});
