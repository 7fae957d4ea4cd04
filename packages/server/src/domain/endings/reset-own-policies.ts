import type { Tx } from '../../platform/db/connect.ts';
import { recordAudits } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { resetPoliciesOfSoleMember } from '../policy/queries.ts';
import { markStale } from '../sessions/role-changes/mark.ts';

interface Reset {
  readonly user_id: string;
  readonly now: Date;
}

/**
 * Resets the policies of organizations in which this user is the owner and the only member. A restricted session of
 * these organizations becomes unrestricted at its next refresh.
 */
export async function resetOwnPolicies(tx: Tx, deps: Deps, caller: Caller, { user_id, now }: Reset): Promise<void> {
  const policies = await resetPoliciesOfSoleMember(tx, user_id);
  await recordAudits(
    tx,
    caller,
    policies.map(({ organization_id, old }) => ({
      action: 'policy.reset',
      now,
      actor_id: user_id,
      organization_id,
      resource_type: 'organization',
      resource_id: organization_id,
      metadata: { old, reason: 'reclaimed' },
    })),
  );
  for (const { organization_id } of policies) {
    await markStale(tx, deps, { whole_organization_id: organization_id }, now);
  }
}
