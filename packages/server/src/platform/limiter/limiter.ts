import { LRUCache } from 'lru-cache';
import { after, type Clock } from '../clock.ts';
import type { Quota } from '../config/kinds.ts';
import { hmac } from '../crypto/tokens.ts';
import type { Db } from '../db/connect.ts';
import { updateCounter } from './queries.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** Seconds until the window ends. */
  readonly retryAfter: number;
}

export interface Limiter {
  /** Counts one event of this kind for this subject. All replicas count together. */
  hit(kind: string, subject: string, quota: Quota): Promise<Verdict>;
}

const MAX_REFUSED = 10_000;

/** Counters live in the database under a keyed hash, so that a dump tells neither addresses nor emails. */
export function createLimiter(db: Db, clock: Clock, key: Buffer): Limiter {
  // A count only rises until its window ends, so a refusal stands until then: a flood costs no more writes.
  const refused = new LRUCache<string, Date>({ max: MAX_REFUSED });
  return {
    async hit(kind, subject, quota) {
      const now = clock.now();
      const counter = hmac(key, `${kind}\0${subject}`).subarray(0, 16);
      const name = counter.toString('latin1');
      const until = refused.get(name);
      if (until && until > now) return { allowed: false, retryAfter: secondsUntil(until, now) };
      const { count, resets_at } = await updateCounter(db, { key: counter, now, resets_at: after(now, quota.window) });
      const allowed = count <= quota.count;
      if (!allowed) refused.set(name, resets_at);
      return { allowed, retryAfter: secondsUntil(resets_at, now) };
    },
  };
}

const secondsUntil = (end: Date, now: Date): number => Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
