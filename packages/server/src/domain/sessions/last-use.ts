import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { updateLastUsed } from './queries.ts';

/** The minimum time between two writes of `last_used_at` of one session. */
const WRITE_INTERVAL_SECONDS = 60;

interface Used {
  readonly session_id: string;
  last_used_at: Date;
}

/** Collects when sessions were last used and writes all of them together, so that requests do not wait for it. */
export function createLastUse(db: Db, clock: Clock) {
  let seen = new Set<string>();
  return {
    note(state: Used, now: Date): void {
      if (now.getTime() - state.last_used_at.getTime() < WRITE_INTERVAL_SECONDS * 1000) return;
      state.last_used_at = now;
      seen.add(state.session_id);
    },
    async flush(): Promise<void> {
      if (seen.size === 0) return;
      const ids = [...seen];
      seen = new Set();
      try {
        await updateLastUsed(db, ids, { now: clock.now(), every: WRITE_INTERVAL_SECONDS });
      } catch (error) {
        for (const id of ids) seen.add(id);
        throw error;
      }
    },
  };
}
