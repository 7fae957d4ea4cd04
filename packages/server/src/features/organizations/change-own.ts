import type { Organization, OwnOrganizationChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { orSlugTaken } from '../../domain/organizations/free-slug.ts';
import { findOrganizationForUpdate, updateOrganization } from '../../domain/organizations/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { noSuchOrganization } from './find.ts';
import { findOwn } from './own.ts';

/**
 * docs/reference/organizations.md#own-organizations: PATCH /orgs/:org_id. Unchanged fields are neither written nor
 * audited.
 */
export async function changeOwn(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { name, slug }: OwnOrganizationChange,
): Promise<Organization> {
  const now = deps.clock.now();
  const { organization_id: id, actor_id } = actorOf(principal);
  const locks = async (tx: Tx) => {
    // The user first, as in the deletion of the account. Then the organization: the check of the permission locks it in
    // share mode only, and two requests that both raise that lock would deadlock.
    await lockUser(tx, actor_id);
    return findOrganizationForUpdate(tx, id);
  };
  const change = transactAs({ deps, caller }, { locks }, async (tx, { locked: before }) => {
    if (!before) throw noSuchOrganization();
    const after = { ...before, name: name?.trim() ?? before.name, slug: slug ?? before.slug };
    const fields = (['name', 'slug'] as const).filter((field) => after[field] !== before[field]);
    if (fields.length === 0) return;
    await updateOrganization(tx, after);
    await recordAudit(tx, caller, {
      action: 'org.updated',
      now,
      resource_type: 'organization',
      resource_id: id,
      metadata: { fields },
    });
  });
  await orSlugTaken(change);
  return findOwn(deps, id);
}
