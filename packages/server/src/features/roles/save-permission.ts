import { LIMITS, NIL_UUID, type Permission, TEXT_FORMATS } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { isProductPermission } from '../../domain/kernel/permissions.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { countPermissions, findPermission, upsertPermission } from '../../domain/roles/queries.ts';
import { describePermission } from './describe.ts';
import { descriptionFrom } from './rules.ts';

interface Declaration {
  readonly name: string;
  readonly description: string | null | undefined;
}

/** PUT /admin/permissions/:name: declares the permission, or replaces its description. Not audited if unchanged. */
export function savePermission(deps: Deps, caller: Caller, { name, ...input }: Declaration): Promise<Permission> {
  requireValidName(name);
  const description = descriptionFrom(input.description);
  const now = deps.clock.now();
  return transactAs({ deps, caller }, { locks: (tx) => lockRoles(tx, null) }, async (tx) => {
    const before = await findPermission(tx, name);
    if (before?.description === description) return describePermission(before);
    if (!before && (await countPermissions(tx)) >= LIMITS.permission.count) {
      throw new ServiceError('conflict', `there are ${LIMITS.permission.count} permissions, which is the maximum`);
    }
    await upsertPermission(tx, { name, description, now });
    await recordAudit(tx, caller, {
      action: 'permission.updated',
      now,
      resource_type: 'permission',
      resource_id: name,
      organization_id: NIL_UUID,
      metadata: { created: !before },
    });
    return describePermission({ name, description, created_at: before?.created_at ?? now });
  });
}

function requireValidName(name: string): void {
  if (name.length > LIMITS.permission.name || !TEXT_FORMATS.permission(name)) {
    throw new ServiceError(
      'invalid_input',
      `name: must be two or more words of lower-case letters, digits, - and _, joined by dots, of at most ${LIMITS.permission.name} characters`,
    );
  }
  if (!isProductPermission(name)) {
    throw new ServiceError('invalid_input', `name: ${name.split('.')[0]} is reserved for permissions of the service`);
  }
}
