import { describe, expect, it } from 'vitest';
import { createKeyring } from './keyring.ts';
import { seal, sealedUnder, unseal } from './seal.ts';

const old = createKeyring('the old secret of at least 32 characters');
const both = createKeyring('the new secret of at least 32 characters', 'the old secret of at least 32 characters');
const renewed = createKeyring('the new secret of at least 32 characters');
const binding = { purpose: 'totp', row: 'user 1' } as const;

describe('seal', () => {
  it('unseals only with the same key, binding and text', () => {
    const sealed = seal(old, binding, 'secret');
    expect(sealed).not.toContain('secret');
    expect(sealedUnder(sealed)).toBe(old.current.id);
    expect(unseal(old, binding, sealed)?.toString()).toBe('secret');
    expect(unseal(both, binding, sealed)?.toString()).toBe('secret');
    expect(unseal(renewed, binding, sealed)).toBeUndefined();
    expect(unseal(old, { ...binding, row: 'user 2' }, sealed)).toBeUndefined();
    expect(unseal(old, { ...binding, purpose: 'mail' }, sealed)).toBeUndefined();
    for (let index = 0; index < sealed.length; index++) {
      const changed = `${sealed.slice(0, index)}${sealed[index] === 'A' ? 'B' : 'A'}${sealed.slice(index + 1)}`;
      const opened = unseal(old, binding, changed)?.toString();
      // The last base64url character may have unused bits.
      if (index < sealed.length - 1) expect(opened).toBeUndefined();
    }
    for (const broken of ['', 'v1', 'v1::', `v1:${old.current.id}:`, `v1:${old.current.id}:AAAA`]) {
      expect(unseal(old, binding, broken)).toBeUndefined();
    }
  });

  it('produces a different value each time, and contains the key id but not the key', () => {
    expect(seal(old, binding, 'x')).not.toBe(seal(old, binding, 'x'));
    expect(old.current.id).toMatch(/^[0-9a-f]{16}$/);
    expect(old.current.derive('a').equals(old.current.derive('b'))).toBe(false);
  });
});
