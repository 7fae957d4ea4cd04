import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decoyFor, type HashMix, mixOf } from './decoys.ts';

const KEY = randomBytes(32);
const EMAILS = Array.from({ length: 4_000 }, (_, index) => `person-${index}@example.com`);
const BCRYPT = '$2b$10';
const PBKDF2 = '$pbkdf2-sha256$i=27500,l=64';
const OURS = { head: '', count: 500 };

const headOf = (mix: HashMix, email: string, key = KEY) => {
  const stored = decoyFor(mix, key, email);
  return mix.find((part) => part.stored === stored)?.head ?? '';
};
const shareOf = (mix: HashMix, head: string) =>
  EMAILS.filter((email) => headOf(mix, email) === head).length / EMAILS.length;

describe('the mix of decoys', () => {
  it('with hashes of our own alone it is empty: every address gets ours', () => {
    expect(mixOf([OURS], 500)).toEqual([]);
    expect(mixOf([], 0)).toEqual([]);
    expect(decoyFor([], KEY, 'a@example.com')).toBeUndefined();
  });

  it('each kind is as frequent among addresses as it is among accounts', () => {
    const mix = mixOf([OURS, { head: PBKDF2, count: 200 }, { head: BCRYPT, count: 300 }], 1000);
    expect(shareOf(mix, BCRYPT)).toBeCloseTo(0.3, 1);
    expect(shareOf(mix, PBKDF2)).toBeCloseTo(0.2, 1);
    expect(shareOf(mix, '')).toBeCloseTo(0.5, 1);
  });

  it('right after everybody was brought along, every address seems so too', () => {
    const mix = mixOf([{ head: BCRYPT, count: 7 }], 7);
    expect(shareOf(mix, BCRYPT)).toBe(1);
  });

  it('stays what it is for an address, whatever the order; and is another under another key', () => {
    const kinds = [OURS, { head: PBKDF2, count: 200 }, { head: BCRYPT, count: 300 }];
    const [one, other] = [mixOf(kinds, 1000), mixOf([...kinds].reverse(), 1000)];
    expect(EMAILS.filter((email) => headOf(one, email) !== headOf(other, email))).toEqual([]);
    const key = randomBytes(32);
    expect(EMAILS.some((email) => headOf(one, email) !== headOf(one, email, key))).toBe(true);
  });

  it('as accounts move on to our kind, addresses do, and none goes the other way', () => {
    const before = mixOf([OURS, { head: BCRYPT, count: 500 }], 1000);
    const after = mixOf(
      [
        { head: '', count: 900 },
        { head: BCRYPT, count: 100 },
      ],
      1000,
    );
    expect(shareOf(after, BCRYPT)).toBeCloseTo(0.1, 1);
    expect(EMAILS.filter((email) => headOf(after, email) === BCRYPT && headOf(before, email) !== BCRYPT)).toEqual([]);
  });

  it('what cannot be read costs what ours does, and counts as ours', () => {
    const kinds = [
      { head: '?', count: 100 },
      { head: '$2b$31', count: 400 },
      { head: BCRYPT, count: 500 },
    ];
    const mix = mixOf(kinds, 1000);
    expect(mix.map(({ head }) => head)).toEqual([BCRYPT]);
    expect(shareOf(mix, BCRYPT)).toBeCloseTo(0.5, 1);
  });
});
