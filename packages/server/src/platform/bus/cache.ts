import { LRUCache } from 'lru-cache';
import { atMost, dropStale } from '../cache-limit.ts';
import type { Bus } from './bus.ts';
import type { Topic } from './event.ts';

/** A read-through cache of values that change events invalidate. */
interface Cache<Loaded> {
  /** The cached value, or undefined if a query is needed. Never makes one. */
  known(key: string): NonNullable<Loaded> | undefined;
  /** The known value, otherwise that of `load`. A hit returns no promise. */
  find(key: string): Loaded | Promise<Loaded>;
  /** Loads the value, whatever is cached. Concurrent callers share one query. */
  load(key: string): Promise<Loaded>;
  /** Like `load`, but with a query that begins now: the value is not older than this call. */
  reload(key: string): Promise<Loaded>;
}

interface CacheOptions<Loaded> {
  readonly bus: Pick<Bus, 'subscribe' | 'isFresh'>;
  readonly load: (key: string) => Promise<Loaded>;
  /**
   * What the key of an event names: the key of a value, a group of values, or nothing (`all`: every event drops
   * everything).
   */
  readonly topics: Readonly<Partial<Record<Topic, 'key' | 'group' | 'all'>>>;
  /** The ids of a value by which events of `group` topics name it. Ids of different kinds must not be equal. */
  readonly groupsOf?: (value: NonNullable<Loaded>) => readonly string[];
  /** The maximum total size: of entries, unless `sizeOf` returns something else. */
  readonly max: number;
  readonly sizeOf?: (value: NonNullable<Loaded>) => number;
  /**
   * How many keys without a value are cached. They are separate, so that invented keys never evict one that is in use.
   * No event of a group drops them: only for keys that never get a value later.
   */
  readonly maxMisses?: number;
}

interface Entry<Value> {
  readonly value: Value;
  /** When the entry expires, by the monotonic clock. */
  readonly until: number;
}

/** Entries expire after this time, so that a missed change event has an effect for at most a minute. */
const MAX_AGE_MS = 60_000;

/** The key of a change that affects everything. */
const EVERYTHING = '*';

/**
 * Three rules prevent that a revoked value is used: a change event drops what it names; it also removes the running
 * load, whose possibly stale result is then used once and not cached; and nothing cached is used or stored while events
 * may have been missed.
 */
export function createCache<Loaded extends object | undefined>(options: CacheOptions<Loaded>): Cache<Loaded> {
  type Value = NonNullable<Loaded>;
  const { bus, groupsOf = () => [], maxMisses } = options;
  const { sizeOf = () => 1 } = options;
  const groups = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: options.max,
    sizeCalculation: ({ value }) => sizeOf(value),
    dispose({ value }, key) {
      for (const id of groupsOf(value)) {
        const group = groups.get(id);
        group?.delete(key);
        if (group?.size === 0) groups.delete(id);
      }
    },
  });
  // Keys without a value, with the expiry of the entry.
  const misses = maxMisses === undefined ? undefined : new LRUCache<string, number>(atMost(maxMisses));
  const loading = new Map<string, Promise<Loaded>>();

  const drop = (key: string): void => {
    entries.delete(key);
    misses?.delete(key);
  };
  for (const [topic, named] of Object.entries(options.topics) as [Topic, 'key' | 'group' | 'all'][]) {
    bus.subscribe(topic, (id) => {
      if (id === undefined || id === EVERYTHING || named === 'all') {
        loading.clear();
        entries.clear();
        misses?.clear();
      } else if (named === 'key') {
        loading.delete(id);
        drop(id);
      } else {
        // The groups of a value that is being loaded are not known yet.
        loading.clear();
        for (const key of [...(groups.get(id) ?? [])]) drop(key);
      }
    });
  }

  const store = (key: string, value: Loaded): void => {
    const until = performance.now() + MAX_AGE_MS;
    drop(key);
    if (!value) {
      misses?.set(key, until);
      return;
    }
    dropStale(entries, (entry) => entry.until <= performance.now());
    entries.set(key, { value, until });
    // A value that is larger than the cache is not stored.
    if (!entries.has(key)) return;
    for (const id of groupsOf(value)) {
      const group = groups.get(id);
      if (group) group.add(key);
      else groups.set(id, new Set([key]));
    }
  };

  const known = (key: string): Value | undefined => {
    const entry = bus.isFresh() ? entries.get(key) : undefined;
    return entry && entry.until > performance.now() ? entry.value : undefined;
  };

  const start = (key: string): Promise<Loaded> => {
    const reading = options.load(key).then(
      (value) => {
        if (isDone() && bus.isFresh()) store(key, value);
        return value;
      },
      (error) => {
        isDone();
        throw error;
      },
    );
    /** Returns false if a change event has removed the load. */
    const isDone = (): boolean => loading.get(key) === reading && loading.delete(key);
    loading.set(key, reading);
    return reading;
  };
  const load = (key: string): Promise<Loaded> => loading.get(key) ?? start(key);

  const isMissing = (key: string): boolean =>
    misses !== undefined && (misses.get(key) ?? 0) > performance.now() && bus.isFresh();

  return {
    known,
    find: (key) => known(key) ?? (isMissing(key) ? (undefined as Loaded) : load(key)),
    load,
    reload(key) {
      drop(key);
      return start(key);
    },
  };
}
