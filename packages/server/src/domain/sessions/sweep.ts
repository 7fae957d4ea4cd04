import { after } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { deleteOldSessions } from './queries.ts';

/** Seconds for which an ended session is kept, so that its id can be distinguished from an unknown one. */
const KEPT_SECONDS = 90 * 86_400;

/** The smallest id that can be created at this time: UUID v7 begins with the milliseconds. */
export const firstIdAt = (time: Date): string => {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

export const deleteEndedSessions = (db: Db, now: Date, limit: number, config: Config): Promise<number> =>
  deleteOldSessions(db, {
    before_id: firstIdAt(after(now, -KEPT_SECONDS - config.SESSION_MAX_AGE)),
    ended_before: after(now, -KEPT_SECONDS),
    limit,
  });
