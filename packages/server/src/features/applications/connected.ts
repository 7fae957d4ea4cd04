import type { ConnectedApplicationList } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { listConnected, revokeConsent } from '../../domain/oauth-server/consents/queries.ts';
import { endGrants } from '../../domain/oauth-server/grants/end.ts';
import { shareUser } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { noSuchApplication } from './describe.ts';
import { aboutApplication } from './write.ts';

export async function listConnectedApplications(
  { db }: Deps,
  { user_id }: SessionState,
): Promise<ConnectedApplicationList> {
  const rows = await listConnected(db, user_id);
  return {
    items: rows.map(({ id, client_id, name, scopes, granted_at, last_used_at }) => ({
      id,
      client_id,
      name,
      scopes: [...scopes],
      granted_at: granted_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? null,
    })),
  };
}

/**
 * DELETE /users/me/applications/:id: withdraws the consent and ends all tokens. 204 also if repeated; 404 if the user
 * never consented to this application.
 */
export async function disconnectApplication(
  deps: Deps,
  caller: Caller,
  { user_id }: SessionState,
  application_id: string,
): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    await shareUser(tx, user_id);
    const revoked = await revokeConsent(tx, { user_id, application_id, now });
    if (!revoked) throw noSuchApplication();
    const grants_ended = await endGrants(tx, deps, { user_id, application_id }, now);
    if (!revoked.was_active) return;
    await recordAudit(tx, caller, {
      action: 'oauth.consent.revoked',
      now,
      ...aboutApplication(application_id),
      metadata: { grants_ended },
    });
  });
}
