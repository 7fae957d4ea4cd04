import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { atMost, dropStale } from './cache-limit.ts';

interface Entry {
  readonly until: number;
}

it('a cache of entries that expire holds little more than those in use, however many are added', () => {
  const cache = new LRUCache<string, Entry>(atMost(10_000));
  let most = 0;
  for (let now = 0; now < 5_000; now++) {
    dropStale(cache, ({ until }) => until <= now);
    cache.set(`entry ${now}`, { until: now + 100 });
    most = Math.max(most, cache.size);
  }
  expect(most).toBe(100);
  expect(cache.get('entry 4999')).toBeDefined();
});

it('after a burst, each new entry removes two stale ones; valid entries stay', () => {
  const cache = new LRUCache<string, Entry>(atMost(10_000));
  for (let index = 0; index < 5; index++) cache.set(`burst ${index}`, { until: 1 });
  cache.set('valid', { until: 3 });
  const sizes = Array.from({ length: 4 }, (_, index) => {
    dropStale(cache, ({ until }) => until <= 2);
    cache.set(`later ${index}`, { until: 3 });
    return cache.size;
  });
  expect(sizes).toEqual([5, 4, 4, 5]);
  expect([...cache.rkeys()]).toEqual(['valid', 'later 0', 'later 1', 'later 2', 'later 3']);
});
