import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

describe('passwords', () => {
  const passwords = createPasswords({ atOnce: 1 });

  it('are argon2id with the settings of the contract', async () => {
    const stored = await passwords.hash('correct horse battery');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(stored, 'correct horse battery')).toBe(true);
    expect(await passwords.verify(stored, 'correct horse batterz')).toBe(false);
    expect(passwords.isWeak(stored)).toBe(false);
  });

  it('are taken whole: NUL, 256 characters of four bytes, spaces at the ends', async () => {
    for (const password of ['before\0after!', '😀'.repeat(256), '  twelve chars  ']) {
      const stored = await passwords.hash(password);
      expect(await passwords.verify(stored, password)).toBe(true);
      expect(await passwords.verify(stored, password.slice(0, -1))).toBe(false);
      expect(await passwords.verify(stored, password.trim().split('\0')[0]!)).toBe(
        password === password.trim() && !password.includes('\0'),
      );
    }
  });

  it('without a stored hash a real verification is made, and is false', async () => {
    expect(await passwords.verify(null, 'anything at all')).toBe(false);
  });

  it('a weaker hash is seen', async () => {
    expect(passwords.isWeak(await hash('x'.repeat(12), { memoryCost: 8192, timeCost: 2 }))).toBe(true);
    expect(passwords.isWeak(await hash('x'.repeat(12), { memoryCost: 19_456, timeCost: 1 }))).toBe(true);
    expect(passwords.isWeak('$2b$10$abcdefghijklmnopqrstuv')).toBe(true);
  });

  it('a burst waits in line, and beyond that is refused with 429', async () => {
    const burst = Array.from({ length: 140 }, () =>
      passwords.verify(null, 'anything at all').catch((error) => error.code),
    );
    const results = await Promise.all(burst);
    expect(results.filter((result) => result === 'rate_limited')).toHaveLength(140 - 129);
    expect(results.filter((result) => result === false)).toHaveLength(129);
  });
});
