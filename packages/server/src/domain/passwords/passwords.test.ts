import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

describe('passwords', () => {
  const passwords = createPasswords({ atOnce: 1 });

  it('hashes with argon2id and the required parameters', async () => {
    const stored = await passwords.hash('correct horse battery', 'me');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify({ stored, password: 'correct horse battery', who: 'me' })).toBe(true);
    expect(await passwords.verify({ stored, password: 'correct horse batterz', who: 'me' })).toBe(false);
    expect(passwords.isWeak(stored, 'correct horse battery')).toBe(false);
  });

  it('hashes the whole password: NUL, 256 four-byte characters, spaces at the ends', async () => {
    for (const password of ['before\0after!', '😀'.repeat(256), '  twelve chars  ']) {
      const stored = await passwords.hash(password, 'me');
      expect(await passwords.verify({ stored, password, who: 'me' })).toBe(true);
      expect(await passwords.verify({ stored, password: password.slice(0, -1), who: 'me' })).toBe(false);
      expect(await passwords.verify({ stored, password: password.trim().split('\0')[0]!, who: 'me' })).toBe(
        password === password.trim() && !password.includes('\0'),
      );
    }
  });

  it('computes one hash for a wrong password, no hash, an unreadable hash and an inactive account', async () => {
    let hashes = 0;
    const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
    const counted = createPasswords({ cost, onHash: () => hashes++ });
    const stored = await counted.hash('the right one', 'me');
    for (const guess of [
      { stored, password: 'a wrong one' },
      { stored: null, password: 'anything at all' },
      { stored: 'plain text', password: 'plain text' },
      { stored, password: 'the right one', in_vain: true },
    ]) {
      hashes = 0;
      expect(await counted.verify({ ...guess, who: 'me' })).toBe(false);
      expect(hashes).toBe(1);
    }
  });

  it('matches nothing against an unreadable hash', async () => {
    for (const stored of ['$argon2id$other', 'plain text', '', '$2b$10$abcdefghijklmnopqrstuv']) {
      expect(await passwords.verify({ stored, password: 'plain text', who: 'me' })).toBe(false);
    }
  });

  it('reports a hash with less memory, fewer passes or another algorithm as weak', async () => {
    expect(passwords.isWeak(await hash('x'.repeat(12), { memoryCost: 8192, timeCost: 2 }), 'x')).toBe(true);
    expect(passwords.isWeak(await hash('x'.repeat(12), { memoryCost: 19_456, timeCost: 1 }), 'x')).toBe(true);
    expect(passwords.isWeak('$2b$10$abcdefghijklmnopqrstuv', 'x'.repeat(72))).toBe(true);
  });

  it('queues a burst of verifications, and rejects those that do not fit in the queue with 429', async () => {
    const stored = await hash('something else', { memoryCost: 8, timeCost: 1 });
    const burst = Array.from({ length: 70 }, () =>
      passwords.verify({ stored, password: 'anything at all', who: 'me' }).catch((error) => error.code),
    );
    const another = passwords.verify({ stored, password: 'anything at all', who: 'somebody else' });
    const results = await Promise.all(burst);
    // One hash runs, and a single client may use half of the 128 places in the queue.
    expect(results.filter((result) => result === 'rate_limited')).toHaveLength(70 - 65);
    expect(results.filter((result) => result === false)).toHaveLength(65);
    expect(await another).toBe(false);
  });

  it('divides the slots among processes that share the cores, with at least one each', async () => {
    const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
    const shared = createPasswords({ processes: 64_000, cost });
    const burst = Array.from({ length: 70 }, () => shared.hash('anything at all', 'me').catch((error) => error.code));
    const results = await Promise.all(burst);
    expect(results.filter((result) => result === 'rate_limited')).toHaveLength(70 - 65);
  });
});
