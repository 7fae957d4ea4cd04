/** Limits an `LRUCache` by `maxSize`, so that its lists grow with use; with `max` it would allocate them at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
