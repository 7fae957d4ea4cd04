interface BoundedCache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}

/**
 * Stores at most `max` entries and always keeps the half that was used last. Two generations: reading from the young
 * one moves nothing, so a hit costs one lookup.
 */
export function createBoundedCache<T>(max: number): BoundedCache<T> {
  const half = Math.max(1, Math.floor(max / 2));
  let young = new Map<string, T>();
  let old = new Map<string, T>();

  const set = (key: string, value: T): void => {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}
