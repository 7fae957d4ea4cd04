import type { Tx } from '../../platform/db/connect.ts';
import { recordAudits } from '../audit/record.ts';
import type { Caller } from '../kernel/caller.ts';
import { listOwnMemberships } from './queries.ts';

interface Change {
  readonly action: 'member.disabled' | 'member.enabled';
  readonly user_id: string;
  readonly now: Date;
}

/**
 * docs/reference/accounts.md#administration-of-users: writes an audit event in every organization of an account that
 * was disabled or enabled.
 */
export async function recordStatusOfMember(tx: Tx, caller: Caller, { action, user_id, now }: Change): Promise<void> {
  const about = {
    action,
    now,
    resource_type: 'member',
    resource_id: user_id,
    metadata: { reason: 'account' },
  } as const;
  const memberships = await listOwnMemberships(tx, user_id);
  await recordAudits(
    tx,
    caller,
    memberships.map(({ organization_id }) => ({ ...about, organization_id })),
  );
}
