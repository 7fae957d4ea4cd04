import { describe, expect, it } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

const fill = (cache: { set(key: string, value: number): void }, from: number, to: number): void => {
  for (let number = from; number < to; number++) cache.set(`key ${number}`, number);
};

describe('a bounded cache', () => {
  it('never stores more than its maximum', () => {
    const cache = createBoundedCache<number>(100);
    fill(cache, 0, 10_000);
    const stored = Array.from({ length: 10_000 }, (_, number) => cache.get(`key ${number}`)).filter(Boolean);
    expect(stored.length).toBeLessThanOrEqual(100);
    expect(stored.length).toBeGreaterThanOrEqual(50);
    expect(stored).toContain(9_999);
  });

  it('keeps an entry that is in use while others are added', () => {
    const cache = createBoundedCache<number>(100);
    cache.set('used', 7);
    for (let round = 0; round < 1_000; round++) {
      fill(cache, round * 20, round * 20 + 20);
      expect(cache.get('used')).toBe(7);
    }
  });

  it('deletes an entry from both generations of the cache', () => {
    const cache = createBoundedCache<number>(10);
    fill(cache, 0, 6);
    cache.delete('key 0');
    cache.delete('key 5');
    expect([0, 1, 5].map((number) => cache.get(`key ${number}`))).toEqual([undefined, 1, undefined]);
  });
});
