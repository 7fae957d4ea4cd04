import { LIMITS, type SessionList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listLiveSessions } from '../../domain/sessions/queries.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { nameOfUserAgent } from '../../domain/user-agent.ts';

/** GET /auth/sessions: the user's own, last used first. */
export async function listSessions(deps: Deps, { user_id, session_id }: SessionState): Promise<SessionList> {
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
