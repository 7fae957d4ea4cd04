import { expect, it } from 'vitest';
import { estimate } from './estimate.ts';
import { text } from './text/en.ts';

const RELATED = ['ada.lovelace@example.com', 'Analytical Engines'];

it.each([
  ['123456789012', 1, 'common'],
  ['password1234', 1, 'similarToCommon'],
  ['aaaaaaaaaaaaaa', 0, 'simpleRepeat'],
  ['abcdefghijkl', 0, 'sequences'],
  ['qwertyuiop[]asdf', 2, 'straightRow'],
  ['lovelace1815', 1, 'userInputs'],
  ['Analytical Engines', 0, 'userInputs'],
  ['correct horse battery staple', 4, null],
])('%s scores %i, with the warning %s', (password, score, warning) => {
  expect(estimate(password, RELATED)).toEqual({ score, warning });
  if (warning !== null) expect(text.warnings).toHaveProperty(warning);
});

it('the strength of a password is scored by its first 100 characters', () => {
  const start = 'a'.repeat(100);
  expect(estimate(`${start}correct horse battery staple`, [])).toEqual(estimate(start, []));
});
