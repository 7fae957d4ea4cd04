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

/** Counters live in the database under a keyed hash, so that a dump tells neither addresses nor emails. */
export function createLimiter(db: Db, clock: Clock, key: Buffer): Limiter {
  return {
    async hit(kind, subject, quota) {
      const now = clock.now();
      const counter = await updateCounter(db, {
        key: hmac(key, `${kind}\0${subject}`).subarray(0, 16),
        now,
        resets_at: after(now, quota.window),
      });
      const left = Math.ceil((counter.resets_at.getTime() - now.getTime()) / 1000);
      return { allowed: counter.count <= quota.count, retryAfter: Math.max(1, left) };
    },
  };
}
