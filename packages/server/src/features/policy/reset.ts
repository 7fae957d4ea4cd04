import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { listOwners } from '../../domain/memberships/queries.ts';
import { findPolicyForUpdate, updatePolicy } from '../../domain/policy/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import { notify } from '../../domain/users/notify.ts';

/**
 * docs/reference/policy-and-sso.md#policy: DELETE /admin/orgs/:id/policy: for owners locked out by their own policy.
 * Every rule gets its default. 204 also if there is no policy; then no mail is sent. Returns whether there was one.
 */
export async function resetPolicy(deps: Deps, caller: Caller, organization_id: string): Promise<boolean> {
  const now = deps.clock.now();
  return transactAs({ deps, caller }, {}, async (tx) => {
    const found = await findPolicyForUpdate(tx, organization_id);
    if (!found) throw noSuchOrganization();
    if (found.policy === null) return false;
    await updatePolicy(tx, organization_id, null);
    await recordAudit(tx, caller, {
      action: 'policy.reset',
      now,
      resource_type: 'organization',
      resource_id: organization_id,
      organization_id,
      metadata: { old: found.policy },
    });
    await markStale(tx, deps, { whole_organization_id: organization_id }, now);
    for (const owner of await listOwners(tx, { organization_id })) {
      await notify(tx, deps, owner, { template: 'policy_reset', params: { organization_name: found.name } });
    }
    return true;
  });
}

export const noSuchOrganization = () => new ServiceError('not_found', 'there is no such organization');
