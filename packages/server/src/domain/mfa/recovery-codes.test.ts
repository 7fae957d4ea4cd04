import { describe, expect, it } from 'vitest';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

describe('recovery codes', () => {
  it('recovery codes are ten distinct codes of 80 random bits', () => {
    const { codes, hashes } = newRecoveryCodes();
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(new Set(codes).size).toBe(10);
    expect(hashes.map((hash) => hash.length)).toEqual(Array(10).fill(32));
  });

  it('are accepted in any case, with any separators and with look-alike characters', () => {
    const hash = hashRecoveryCode('k10a-93xq-m2fv-0wzd');
    for (const typed of ['K10A-93XQ-M2FV-0WZD', 'k10a93xqm2fv0wzd', ' kLoa 93xq m2fv owzd ', 'KIOA-93XQ-M2FV-OWZD']) {
      expect(hashRecoveryCode(typed).equals(hash)).toBe(true);
    }
    expect(hashRecoveryCode('k10a-93xq-m2fv-0wze').equals(hash)).toBe(false);
  });
});
