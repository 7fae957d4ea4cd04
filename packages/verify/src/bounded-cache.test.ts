import { describe, expect, it } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

const fill = (cache: { set(key: string, value: number): void }, from: number, to: number): void => {
  for (let number = from; number < to; number++) cache.set(`key ${number}`, number);
};

describe('a bounded cache', () => {
  it('never holds more than it may, whatever comes', () => {
    const cache = createBoundedCache<number>(100);
    fill(cache, 0, 10_000);
    const held = Array.from({ length: 10_000 }, (_, number) => cache.get(`key ${number}`)).filter(Boolean);
    expect(held.length).toBeLessThanOrEqual(100);
    expect(held.length).toBeGreaterThanOrEqual(50);
    expect(held).toContain(9_999);
  });

  it('keeps what is in use while others pass through', () => {
    const cache = createBoundedCache<number>(100);
    cache.set('used', 7);
    for (let round = 0; round < 1_000; round++) {
      fill(cache, round * 20, round * 20 + 20);
      expect(cache.get('used')).toBe(7);
    }
  });

  it('forgets what it is told to, old or young', () => {
    const cache = createBoundedCache<number>(10);
    fill(cache, 0, 6);
    cache.delete('key 0');
    cache.delete('key 5');
    expect([0, 1, 5].map((number) => cache.get(`key ${number}`))).toEqual([undefined, 1, undefined]);
  });
});
