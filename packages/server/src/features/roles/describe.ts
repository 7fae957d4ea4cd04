import type { Permission, Role } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { listPermissions, RoleRow } from '../../domain/roles/queries.ts';

type PermissionRow = Awaited<ReturnType<typeof listPermissions>>[number];

export const describePermission = ({ name, description, created_at }: PermissionRow): Permission => ({
  name,
  description,
  created_at: created_at.toISOString(),
});

export const describeRole = (role: RoleRow): Role => ({
  id: role.id,
  organization_id: role.organization_id,
  name: role.name,
  slug: role.slug,
  description: role.description,
  permissions: role.permissions,
  created_at: role.created_at.toISOString(),
  updated_at: role.updated_at.toISOString(),
});

export const noSuchRole = () => new ServiceError('not_found', 'there is no such role');
