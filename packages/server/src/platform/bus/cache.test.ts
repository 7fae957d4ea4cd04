import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../log.ts';
import { type Bus, createBus } from './bus.ts';
import { createCache } from './cache.ts';
import type { BusConnection } from './connection.ts';
import type { Topic } from './event.ts';

interface Value {
  readonly name: string;
  readonly owner: string;
  readonly version: number;
}

let bus: Bus;
/** Reports to the bus what a query would have found; `undefined`: events may have been lost. */
let sync: (events?: []) => Promise<void>;
/** The rows of the database: each key has the owner `<key>-owner`, except keys that begin with `no`. */
let version: number;
let queries: string[];
let elapsedMs: number;

beforeEach(async () => {
  let listener: Parameters<BusConnection['onSync']>[0] | undefined;
  sync = async (events) => listener?.(performance.now(), events);
  const connection: BusConnection = {
    onSync: (given) => {
      listener = given;
    },
    wakeOthers() {},
    start: () => sync([]),
    stop: async () => {},
  };
  bus = createBus(connection, createLogger({ level: 'silent' }));
  [version, queries, elapsedMs] = [1, [], 0];
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + elapsedMs);
  await bus.start();
});
afterEach(() => vi.restoreAllMocks());

const load = async (name: string): Promise<Value | undefined> => {
  queries.push(name);
  const value = { name, owner: `${name}-owner`, version };
  await Promise.resolve();
  return name.startsWith('no') ? undefined : value;
};
const create = ({ max = 100, ...others }: { max?: number; maxMisses?: number; sizeOf?: () => number } = {}) =>
  createCache<Value | undefined>({
    bus,
    load,
    topics: { session: 'key', user: 'group', providers: 'all' },
    groupsOf: ({ owner }) => [owner],
    max,
    ...others,
  });
const event = (topic: Topic, key: string) => bus.deliver([{ topic, key }]);

describe('a read-through cache', () => {
  it('returns a cached value without a promise and without a query', async () => {
    const cache = create();
    expect(cache.known('a')).toBeUndefined();
    const value = await cache.find('a');
    expect(value).toEqual({ name: 'a', owner: 'a-owner', version: 1 });
    expect([cache.find('a'), cache.known('a')]).toEqual([value, value]);
    expect(queries).toEqual(['a']);
  });

  it('shares one query between concurrent callers', async () => {
    const cache = create();
    const [first, ...others] = [cache.find('a'), cache.find('a'), cache.load('a')];
    expect(others).toEqual([first, first]);
    await first;
    expect(queries).toEqual(['a']);
  });

  it('reload does not share a running query, and its result replaces the cached one', async () => {
    const cache = create();
    const before = cache.find('a');
    version = 2;
    const reloaded = cache.reload('a');
    expect([(await before)?.version, (await reloaded)?.version]).toEqual([1, 2]);
    expect(cache.known('a')?.version).toBe(2);
  });

  it('queries again after a query that failed', async () => {
    let fails = true;
    const cache = createCache({
      bus,
      load: async () => {
        if (fails) throw new Error('no database');
        return { version };
      },
      topics: {},
      max: 1,
    });
    await expect(cache.find('a')).rejects.toThrow('no database');
    fails = false;
    expect(await cache.find('a')).toEqual({ version: 1 });
  });
});

/** What happens, and whether the cached value of `a` is still used afterwards. */
const CHANGES: readonly [string, () => Promise<void>, 'dropped' | 'kept'][] = [
  ['an event of its key', () => event('session', 'a'), 'dropped'],
  ['an event of another key', () => event('session', 'b'), 'kept'],
  ['an event of its group', () => event('user', 'a-owner'), 'dropped'],
  ['an event of another group', () => event('user', 'b-owner'), 'kept'],
  ['an event * of a topic of keys', () => event('session', '*'), 'dropped'],
  ['an event * of a topic of groups', () => event('user', '*'), 'dropped'],
  ['any event of a topic that drops everything', () => event('providers', 'b'), 'dropped'],
  ['an event of a topic that it does not have', () => event('flags', 'a'), 'kept'],
  ['a report that events may have been lost', () => sync(undefined), 'dropped'],
  ['a report without events', () => sync([]), 'kept'],
];

describe('change events', () => {
  it.each(CHANGES)('a cached value after %s', async (_what, happen, outcome) => {
    const cache = create();
    await Promise.all([cache.find('a'), cache.find('b')]);
    version = 2;
    await happen();
    expect(cache.known('a')?.version).toBe(outcome === 'kept' ? 1 : undefined);
    expect((await cache.find('a'))?.version).toBe(outcome === 'kept' ? 1 : 2);
  });

  it.each(CHANGES)(
    'a running load during %s: a result that may be stale is used once',
    async (what, happen, outcome) => {
      const cache = create();
      const reading = cache.find('a');
      version = 2;
      await happen();
      // The groups of a value that is being loaded are unknown, so events of all groups count.
      const isKept = outcome === 'kept' && what !== 'an event of another group';
      const next = cache.find('a');
      expect((await reading)?.version).toBe(1);
      expect((await next)?.version).toBe(isKept ? 1 : 2);
      expect(cache.known('a')?.version).toBe(isKept ? 1 : 2);
    },
  );

  it('a load that failed does not end a newer load of the same key', async () => {
    const loads: { resolve: (value: Value) => void; reject: (error: Error) => void }[] = [];
    const pend = () => new Promise<Value>((resolve, reject) => loads.push({ resolve, reject }));
    const cache = createCache({ bus, load: pend, topics: { session: 'key' }, max: 1 });
    const first = cache.load('a');
    await event('session', 'a');
    const second = cache.load('a');
    loads[0]!.reject(new Error('no database'));
    await expect(first).rejects.toThrow();
    loads[1]!.resolve({ name: 'a', owner: 'me', version });
    await second;
    expect(cache.known('a')).toBeDefined();
  });
});

describe('a lost bus and a lost event', () => {
  it('nothing is used or stored while events do not arrive', async () => {
    const cache = create({ maxMisses: 10 });
    await Promise.all([cache.find('a'), cache.find('none')]);
    elapsedMs = 4_000;
    version = 2;
    expect(cache.known('a')).toBeUndefined();
    expect((await cache.find('a'))?.version).toBe(2);
    await cache.find('none');
    await cache.find('b');
    expect(queries).toEqual(['a', 'none', 'a', 'none', 'b']);
    await sync([]);
    expect(cache.known('b')).toBeUndefined();
  });

  it('a value, or its absence, is used for at most a minute', async () => {
    const cache = create({ maxMisses: 10 });
    await Promise.all([cache.find('a'), cache.find('none')]);
    for (const [ms, expected] of [
      [59_000, ['a', 'none']],
      [60_000, ['a', 'none', 'a', 'none']],
    ] as const) {
      elapsedMs = ms;
      await sync([]);
      await Promise.all([cache.find('a'), cache.find('none')]);
      expect(queries).toEqual(expected);
    }
  });
});

describe('the size of a cache', () => {
  it('the least recently used value is evicted, also from its group', async () => {
    const cache = create({ max: 2 });
    for (const key of ['a', 'b', 'a', 'c']) await cache.find(key);
    expect(['a', 'b', 'c'].map((key) => cache.known(key)?.name)).toEqual(['a', undefined, 'c']);
    await event('user', 'b-owner');
    await event('user', 'a-owner');
    expect(['a', 'b', 'c'].map((key) => cache.known(key)?.name)).toEqual([undefined, undefined, 'c']);
  });

  it('sizeOf decides what counts; a value larger than the cache is not stored', async () => {
    let size = 3;
    const cache = create({ max: 5, sizeOf: () => size });
    for (const key of ['a', 'b']) await cache.find(key);
    expect(['a', 'b'].map((key) => cache.known(key)?.name)).toEqual([undefined, 'b']);
    size = 6;
    await cache.find('c');
    expect(['b', 'c'].map((key) => cache.known(key)?.name)).toEqual(['b', undefined]);
  });

  it('keys without a value are cached separately, and never evict a value', async () => {
    const cache = create({ max: 1, maxMisses: 1 });
    const value = await cache.find('a');
    for (const key of ['none', 'nobody']) expect(await cache.find(key)).toBeUndefined();
    expect([cache.find('a'), cache.find('nobody')]).toEqual([value, undefined]);
    expect(cache.find('none')).toBeInstanceOf(Promise);
  });

  it.each(['nothing', 'none', '*'])('a key without a value is looked up again after an event of %s', async (key) => {
    const cache = create({ maxMisses: 2 });
    await cache.find('none');
    await event('session', key);
    await cache.find('none');
    expect(queries).toHaveLength(key === 'nothing' ? 1 : 2);
  });

  it('keys without a value are not cached without maxMisses', async () => {
    const cache = create();
    await cache.find('none');
    expect(cache.find('none')).toBeInstanceOf(Promise);
  });
});
