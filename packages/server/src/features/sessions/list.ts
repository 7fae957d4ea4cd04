import { LIMITS, type SessionList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { nameOfUserAgent } from '../../domain/kernel/user-agent.ts';
import { listLiveSessions } from '../../domain/sessions/queries.ts';
import { findUserRecord, noSuchUser } from '../../domain/users/queries.ts';

/** docs/reference/sessions.md#listing-and-ending-sessions */
export const listSessions = (deps: Deps, session: SessionState): Promise<SessionList> =>
  listSessionsOf(deps, session.user_id, session);

/** GET /admin/users/:id/sessions: the sessions of any user. A deleted user has none. */
export async function listUserSessions(deps: Deps, user_id: string, session: SessionState): Promise<SessionList> {
  if (!(await findUserRecord(deps.db, user_id))) throw noSuchUser();
  return listSessionsOf(deps, user_id, session);
}

async function listSessionsOf(deps: Deps, user_id: string, { session_id }: SessionState): Promise<SessionList> {
  const rows = await listLiveSessions(deps.db, { user_id, now: deps.clock.now(), limit: LIMITS.sessionsPerUser });
  return {
    items: rows.map((row) => ({
      ...row,
      device: nameOfUserAgent(row.user_agent),
      current: row.id === session_id,
      created_at: row.created_at.toISOString(),
      last_used_at: row.last_used_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
    })),
  };
}
