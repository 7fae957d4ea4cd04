/**
 * Limits an `LRUCache` to a number of entries. With `max`, the cache would allocate its lists for that many entries
 * when it is created; with `maxSize`, they grow with use.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
