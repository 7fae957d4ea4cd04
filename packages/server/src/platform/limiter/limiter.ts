import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-limit.ts';
import { after, type Clock } from '../clock.ts';
import type { Quota } from '../config/kinds.ts';
import { hmac } from '../crypto/tokens.ts';
import type { Db } from '../db/connect.ts';
import { type Count, type Counter, isOver, updateCounters } from './queries.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** Seconds until the window ends. */
  readonly retryAfter: number;
}

export interface Limiter {
  /** Describes a counter without counting, for a statement that increments the counter itself. */
  counter(kind: string, subject: string, quota: Quota, options?: { inRow?: boolean }): Counter;
  /** Counts one event in each counter. All replicas share them. */
  hit(...counters: Counter[]): Promise<Verdict>;
  /** Counts one event in the memory of this process alone, for requests that are rejected without the database. */
  hitHere(counter: Counter): Verdict;
}

const MAX_EXCEEDED = 10_000;
const MAX_HERE = 1_000;

/** Stores counters in the database under keyed hashes, so that a dump reveals neither addresses nor emails. */
export function createLimiter(db: Db, clock: Clock, key: Buffer): Limiter {
  // A count only rises until its window ends, so an exceeded limit stays exceeded: a flood causes no further writes.
  const exceeded = new LRUCache<string, Date>(atMost(MAX_EXCEEDED));
  const here = new LRUCache<string, { count: number; readonly resets_at: Date }>(atMost(MAX_HERE));
  const count = countTogether(db, clock);
  return {
    counter: (kind, subject, quota, options) => ({
      key: hmac(key, `${kind}\0${subject}`).subarray(0, 16),
      quota,
      ...options,
    }),
    async hit(...counters) {
      const now = clock.now();
      const known = counters.map((counter) => exceeded.get(nameOf(counter))).find((until) => until && until > now);
      if (known) return { allowed: false, retryAfter: secondsUntil(known, now) };
      const counts = await count(counters);
      const over = counts.filter((count) => isOver(counters, count));
      for (const count of over) exceeded.set(nameOf(count), count.resets_at);
      const until = latest((over.length > 0 ? over : counts).map(({ resets_at }) => resets_at));
      return { allowed: over.length === 0, retryAfter: secondsUntil(until, now) };
    },
    hitHere(counter) {
      const now = clock.now();
      const { count: most, window } = counter.quota;
      const kept = here.get(nameOf(counter));
      const entry = kept && kept.resets_at > now ? kept : { count: 0, resets_at: after(now, window) };
      entry.count++;
      here.set(nameOf(counter), entry);
      return { allowed: entry.count <= most, retryAfter: secondsUntil(entry.resets_at, now) };
    },
  };
}

interface Waiting {
  resolve(counts: readonly Count[]): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that counts one event. While a statement runs, further events in the same counters wait, and the
 * next statement counts them together: many requests of one client neither wait for each other's row locks nor cost a
 * statement each. Every event gets its own number, as if it were counted alone.
 */
function countTogether(db: Db, clock: Clock) {
  // One entry for each statement that is running.
  const queues = new Map<string, Waiting[]>();

  const runNext = (name: string, counters: readonly Counter[]): void => {
    const waiting = queues.get(name)!;
    const times = waiting.length;
    if (times === 0) {
      queues.delete(name);
      return;
    }
    queues.set(name, []);
    updateCounters(db, counters, clock.now(), times)
      .then(
        (counts) => {
          for (const [index, { resolve }] of waiting.entries()) {
            resolve(counts.map((counted) => ({ ...counted, count: counted.count - times + 1 + index })));
          }
        },
        (error: unknown) => {
          for (const { reject } of waiting) reject(error);
        },
      )
      .finally(() => runNext(name, counters));
  };

  return async (counters: readonly Counter[]): Promise<readonly Count[]> => {
    const name = counters.map((counter) => `${nameOf(counter)} ${JSON.stringify(counter.quota)}`).join();
    const waiting = queues.get(name);
    if (waiting) return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    queues.set(name, []);
    try {
      return await updateCounters(db, counters, clock.now());
    } finally {
      runNext(name, counters);
    }
  };
}

const nameOf = (counter: { readonly key: Buffer }): string => counter.key.toString('latin1');

const latest = (times: readonly Date[]): Date => new Date(Math.max(...times.map((time) => time.getTime())));

export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
