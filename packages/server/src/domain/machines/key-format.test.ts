import { describe, expect, it } from 'vitest';
import { base62, checksumOf, createKey, hashSecret, parseKey, publicIdIn } from './key-format.ts';

describe('the form of an API key', () => {
  it('base62 uses the digits 0-9A-Za-z, most significant digit first, padded with 0', () => {
    expect([0n, 9n, 10n, 35n, 36n, 61n, 62n, 62n * 62n + 1n].map((value) => base62(value, 3))).toEqual([
      '000',
      '009',
      '00A',
      '00Z',
      '00a',
      '00z',
      '010',
      '101',
    ]);
    expect(base62(2n ** 256n - 1n, 43)).toHaveLength(43);
  });

  it('the checksum is the CRC-32 of zlib in six digits', () => {
    // 0xCBF43926, the check value of CRC-32.
    expect(checksumOf('123456789')).toBe(base62(0xcbf43926n, 6));
    expect(checksumOf('')).toBe('000000');
  });

  it('a new key has the documented form and can be parsed', () => {
    const { key, public_id, secret } = createKey();
    expect(key).toMatch(/^gth_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(parseKey(key)).toEqual({ public_id, secret });
    expect(publicIdIn(key.slice(0, 16))).toBe(public_id);
    expect(createKey().key).not.toBe(key);
  });

  it('a key with one wrong character at any position is rejected', () => {
    const { key } = createKey();
    for (let index = 0; index < key.length; index++) {
      const wrong = `${key.slice(0, index)}${key[index] === 'x' ? 'y' : 'x'}${key.slice(index + 1)}`;
      expect(parseKey(wrong)).toBeUndefined();
    }
    for (const odd of ['', 'gth_', ` ${key}`, `${key}\n`, key.toLowerCase(), key.slice(0, -1), `${key}0`]) {
      expect(parseKey(odd)).toBeUndefined();
    }
  });

  it('the stored hash depends on the prefix and on the secret', () => {
    const hashes = [
      { public_id: 'a', secret: 'b' },
      { public_id: 'a', secret: 'c' },
      { public_id: 'b', secret: 'b' },
    ].map((parts) => hashSecret(parts).toString('hex'));
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});
