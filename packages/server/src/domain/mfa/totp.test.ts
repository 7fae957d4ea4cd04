import { describe, expect, it } from 'vitest';
import { base32, looksLikeCode, matchingStep, newTotpSecret, otpauthUrl, stepAt, totpCode } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');

describe('TOTP', () => {
  // The test vectors of RFC 6238, appendix B: the last six digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at Unix time %i the code is %s', (time, code) => {
    expect(totpCode(SECRET, stepAt(new Date(time * 1000)))).toBe(code);
  });

  it('accepts one step of drift in each direction, and returns the step', () => {
    const now = new Date('2030-01-15T12:00:10Z');
    const step = stepAt(now);
    for (const near of [-1, 0, 1]) expect(matchingStep(SECRET, totpCode(SECRET, step + near), now)).toBe(step + near);
    for (const far of [-2, 2, 3]) expect(matchingStep(SECRET, totpCode(SECRET, step + far), now)).toBeUndefined();
  });

  it('accepts digits in groups, and rejects everything that is not a code', () => {
    const now = new Date(59_000);
    expect(matchingStep(SECRET, ' 287 082 ', now)).toBe(1);
    expect(looksLikeCode(' 287 082 ')).toBe(true);
    for (const wrong of ['', '287', '2870820', 'abcdef', '２８７０８２', '287082\0']) {
      expect(matchingStep(SECRET, wrong, now)).toBeUndefined();
      expect(looksLikeCode(wrong)).toBe(false);
    }
  });

  it('encodes base32 as in RFC 4648', () => {
    expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
    expect(base32(newTotpSecret())).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret().equals(newTotpSecret())).toBe(false);
  });

  it('escapes issuer and account in the otpauth URL, and removes a colon from the issuer', () => {
    const url = otpauthUrl({ name: 'Example: Id', email: 'ada+x&y@example.com', secret: 'ABC' });
    expect(url).toBe(
      'otpauth://totp/Example%20Id:ada%2Bx%26y%40example.com?secret=ABC&issuer=Example%20Id&algorithm=SHA1&digits=6&period=30',
    );
  });
});
