import { LIMITS, type NewRole, type Role } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { countRoleWrite, lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { countRoles, insertRole } from '../../domain/roles/queries.ts';
import { describeRole } from './describe.ts';
import { descriptionFrom, distinct, freeSlugFrom, requireFreeSlug, requireKnown } from './rules.ts';
import { aboutRole, requiringAll, type Scope, scopeName } from './scope.ts';

export function createRole(deps: Deps, caller: Caller, scope: Scope, input: NewRole): Promise<Role> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  const id = uuid();
  const name = input.name.trim();
  const permissions = distinct(input.permissions ?? []);
  const description = descriptionFrom(input.description);

  return transactAs({ deps, caller }, { locks: (tx) => lockRoles(tx, scope.organization_id) }, async (tx, checked) => {
    const requireAll = requiringAll(tx, scope, checked);
    await requireKnown(tx, permissions);
    await requireAll(permissions);
    if ((await countRoles(tx, organization_id)) >= LIMITS.role.perOwner) {
      throw new ServiceError('conflict', `there are ${LIMITS.role.perOwner} roles, which is the maximum`);
    }
    if (input.slug !== undefined) await requireFreeSlug(tx, input.slug, { organization_id });
    const slug = input.slug ?? (await freeSlugFrom(tx, name, { organization_id }));
    const row = { id, organization_id, name, slug, description, permissions, created_at: now, updated_at: now };
    await insertRole(tx, row);
    const metadata = { scope: scopeName(scope), permissions };
    await recordAudit(tx, caller, { action: 'role.created', now, ...aboutRole(scope, id), metadata });
    await countRoleWrite(tx, deps, organization_id, now);
    return describeRole(row);
  });
}
