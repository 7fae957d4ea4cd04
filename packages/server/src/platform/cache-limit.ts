/** With `max`, an `LRUCache` would allocate its lists when it is created; with `maxSize`, they grow with use. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
