import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-limit.ts';
import { after, type Clock } from '../clock.ts';
import type { Quota } from '../config/kinds.ts';
import { hmac } from '../crypto/tokens.ts';
import type { Db } from '../db/connect.ts';
import { type Counter, isOver, updateCounters } from './queries.ts';

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
  const nameOf = (counter: { key: Buffer }) => counter.key.toString('latin1');
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
      const counts = await updateCounters(db, counters, now);
      const over = counts.filter((count) => isOver(counters, count));
      for (const count of over) exceeded.set(nameOf(count), count.resets_at);
      const until = latest((over.length > 0 ? over : counts).map(({ resets_at }) => resets_at));
      return { allowed: over.length === 0, retryAfter: secondsUntil(until, now) };
    },
    hitHere(counter) {
      const now = clock.now();
      const { count, window } = counter.quota;
      const kept = here.get(nameOf(counter));
      const entry = kept && kept.resets_at > now ? kept : { count: 0, resets_at: after(now, window) };
      entry.count++;
      here.set(nameOf(counter), entry);
      return { allowed: entry.count <= count, retryAfter: secondsUntil(entry.resets_at, now) };
    },
  };
}

const latest = (times: readonly Date[]): Date => new Date(Math.max(...times.map((time) => time.getTime())));

export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
