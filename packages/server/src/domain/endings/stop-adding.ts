import type { Tx } from '../../platform/db/connect.ts';
import { recordAudits } from '../audit/record.ts';
import type { Caller } from '../kernel/caller.ts';
import { clearCreateMembers } from '../sso/queries.ts';

interface Reclaimed {
  readonly user_id: string;
  /** The connection that is signing the user in, which stays as it is. */
  readonly connection_id: string | undefined;
  readonly now: Date;
}

/**
 * docs/reference/accounts.md#unproven-accounts: switches `create_members` off for the connections of organizations
 * whose only active owner is a reclaimed account, because their providers may belong to someone else.
 */
export async function stopAddingMembers(
  tx: Tx,
  caller: Caller,
  { user_id, connection_id, now }: Reclaimed,
): Promise<void> {
  const connections = await clearCreateMembers(tx, { owner_id: user_id, except: connection_id });
  await recordAudits(
    tx,
    caller,
    connections.map(({ id, organization_id, issuer, client_id }) => ({
      action: 'sso.connection.updated',
      now,
      actor_id: user_id,
      organization_id,
      resource_type: 'sso_connection',
      resource_id: id,
      metadata: { fields: ['create_members'], issuer, client_id, sessions: 0, reason: 'reclaimed' },
    })),
  );
}
