import type { LRUCache } from 'lru-cache';

/** Limits an `LRUCache` by `maxSize`, so that its lists grow with use; with `max` it would allocate them at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * Removes each of the two least recently used entries that is stale. Called for each new entry, it prevents stale
 * entries from filling the cache. The cache must not have a `ttl`: it would hide them.
 */
export function dropStale<Value extends object>(
  cache: LRUCache<string, Value>,
  isStale: (value: Value) => boolean,
): void {
  const unused = cache.rkeys();
  for (const { value: key } of [unused.next(), unused.next()]) {
    const value = key === undefined ? undefined : cache.peek(key);
    if (value && isStale(value)) cache.delete(key!);
  }
}
