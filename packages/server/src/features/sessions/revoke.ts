import { recordAudit } from '../../domain/audit/record.ts';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Principal } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findSessionOwner } from '../../domain/sessions/queries.ts';
import { revokeSession, revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';

/** DELETE /auth/sessions/:id: 204 also for an ended session of the user; 404 for any other id. */
export async function revokeOne(deps: Deps, caller: Caller, session: SessionState, id: string): Promise<void> {
  const now = deps.clock.now();
  const { user_id } = session;
  await transact(deps.db, async (tx) => {
    const ended = await revokeSession(tx, deps, { id, user_id }, now);
    if (!ended) return requireOwnSession(tx, id, user_id);
    await recordAudit(tx, caller, {
      action: 'auth.session.revoked',
      now,
      resource_type: 'session',
      resource_id: id,
      metadata: { reason: 'user', count: 1 },
    });
  });
}

interface UserSession {
  readonly user_id: string;
  readonly session_id: string;
}

/** DELETE /admin/users/:id/sessions/:session_id: 204 also for an ended session of that user; 404 for any other id. */
export async function revokeOfUser(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { user_id, session_id: id }: UserSession,
): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    await lockExistingUser(tx, principal, { user_id, role: 'admin' });
    const ended = await revokeSession(tx, deps, { id, user_id }, now);
    if (!ended) return requireOwnSession(tx, id, user_id);
    await recordAudit(tx, caller, {
      action: 'auth.session.revoked',
      now,
      resource_type: 'session',
      resource_id: id,
      organization_id: ended.organization_id,
      metadata: { reason: 'administrator', count: 1 },
    });
  });
}

async function requireOwnSession(tx: Tx, id: string, user_id: string): Promise<void> {
  const owner = await findSessionOwner(tx, id);
  if (owner?.user_id !== user_id) throw new ServiceError('not_found', 'there is no such session');
}

/** DELETE /auth/sessions: ends the user's other sessions; with `including`, also this one and all trusted browsers. */
export async function revokeAll(deps: Deps, caller: Caller, session: SessionState, including: boolean): Promise<void> {
  const now = deps.clock.now();
  const { user_id, session_id } = session;
  await transactAs({ deps, caller }, { locks: (tx) => lockUser(tx, user_id) }, async (tx) => {
    const count = await revokeUserSessions(tx, deps, {
      user_id,
      except: including ? undefined : session_id,
      grants: including ? 'all' : 'of sessions',
      now,
    });
    if (including) await forgetBrowsers(tx, caller, user_id, now);
    if (count === 0) return;
    await recordAudit(tx, caller, {
      action: 'auth.session.revoked',
      now,
      resource_type: 'user',
      resource_id: user_id,
      metadata: { reason: 'user', count },
    });
  });
}

async function forgetBrowsers(tx: Tx, caller: Caller, user_id: string, now: Date): Promise<void> {
  for (const { id } of await revokeTrustedBrowsers(tx, user_id, now)) {
    await recordAudit(tx, caller, {
      action: 'trusted_browser.revoked',
      now,
      resource_type: 'trusted_browser',
      resource_id: id,
      metadata: {},
    });
  }
}
