import { after } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { firstIdAt } from '../kernel/statements.ts';
import { deleteOldSessions } from './queries.ts';

/** Seconds for which an ended session is kept, so that its id can be distinguished from an unknown one. */
const KEPT_SECONDS = 90 * 86_400;

export const deleteEndedSessions = (db: Db, now: Date, limit: number, config: Config): Promise<number> =>
  deleteOldSessions(db, {
    before_id: firstIdAt(after(now, -KEPT_SECONDS - config.SESSION_MAX_AGE)),
    ended_before: after(now, -KEPT_SECONDS),
    limit,
  });
