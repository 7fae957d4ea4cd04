import {
  NewRole,
  Permission,
  PermissionChange,
  PermissionList,
  Role,
  RoleChange,
  RoleList,
  Text,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { deleteOldRoles } from '../../domain/roles/queries.ts';
import { deleteExpiredRefreshes } from '../../domain/sessions/role-changes/queries.ts';
import { permitted, platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { changeRole } from './change.ts';
import { createRole } from './create.ts';
import { listAllPermissions, listAllRoles } from './list.ts';
import { removeRole } from './remove.ts';
import { removePermission } from './remove-permission.ts';
import { savePermission } from './save-permission.ts';
import { globalScope, organizationScope } from './scope.ts';

/** Does not check the format of the name: that would be 404, as for any path, and an invalid name must be 400. */
const Name = Type.Object({ name: Text(1, 200) });
const One = Type.Object({ id: Uuid });
const Team = Type.Object({ org_id: Uuid });
const TeamRole = Type.Object({ org_id: Uuid, id: Uuid });

const CHANGE =
  'Fields that are left out stay as they are. A change of permissions makes the access tokens of all members with this role stale.';

export const roles: Feature = {
  name: 'Roles',
  sweeps: [
    { name: 'roles', sweep: deleteOldRoles },
    { name: 'refreshes', sweep: deleteExpiredRefreshes },
  ],
  routes: [
    route({
      id: 'listPermissions',
      method: 'GET',
      path: '/admin/permissions',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List the permissions of the product',
      description: 'Sorted by name.',
      responses: { 200: PermissionList },
      handler: ({ deps }) => listAllPermissions(deps),
    }),
    route({
      id: 'setPermission',
      method: 'PUT',
      path: '/admin/permissions/:name',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Declare a permission of the product',
      description: 'Replaces the description of a permission that exists; an omitted `description` is null.',
      params: Name,
      body: PermissionChange,
      responses: { 200: Permission },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params, body }) =>
        savePermission(deps, caller, { name: params.name, description: body.description }),
    }),
    route({
      id: 'removePermission',
      method: 'DELETE',
      path: '/admin/permissions/:name',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Delete a permission of the product',
      description: 'Removes it from all roles. Returns 204 even if there is no such permission.',
      params: Name,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, params }) {
        await removePermission(deps, caller, params.name);
      },
    }),
    route({
      id: 'listGlobalRoles',
      method: 'GET',
      path: '/admin/roles',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List global roles',
      responses: { 200: RoleList },
      handler: ({ deps }) => listAllRoles(deps, null),
    }),
    route({
      id: 'createGlobalRole',
      method: 'POST',
      path: '/admin/roles',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Create a global role',
      description: 'Every organization can assign it. Without `slug`, one is derived from the name.',
      body: NewRole,
      responses: { 201: Role },
      errors: ['conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, body }) => createRole(deps, caller, globalScope(principal), body),
    }),
    route({
      id: 'changeGlobalRole',
      method: 'PATCH',
      path: '/admin/roles/:id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Change a global role',
      description: CHANGE,
      params: One,
      body: RoleChange,
      responses: { 200: Role },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, params, body }) =>
        changeRole(deps, caller, globalScope(principal), { ...body, id: params.id }),
    }),
    route({
      id: 'removeGlobalRole',
      method: 'DELETE',
      path: '/admin/roles/:id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Delete a global role',
      description: 'Takes it from all members.',
      params: One,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      async handler({ deps, caller, principal, params }) {
        await removeRole(deps, caller, globalScope(principal), params.id);
      },
    }),
    route({
      id: 'listAssignablePermissions',
      method: 'GET',
      path: '/orgs/:org_id/permissions',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.list')],
      summary: 'List the permissions of the product, for the roles of an organization',
      description: 'Sorted by name. Every organization has the same list.',
      params: Team,
      responses: { 200: PermissionList },
      handler: ({ deps }) => listAllPermissions(deps),
    }),
    route({
      id: 'listRoles',
      method: 'GET',
      path: '/orgs/:org_id/roles',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.list')],
      summary: 'List the roles that members can have',
      description: 'The global roles, then those of the organization, each sorted by name.',
      params: Team,
      responses: { 200: RoleList },
      handler: ({ deps, principal }) => listAllRoles(deps, organizationOf(principal)),
    }),
    route({
      id: 'createRole',
      method: 'POST',
      path: '/orgs/:org_id/roles',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('roles.manage')],
      summary: 'Create a role of the organization',
      description:
        'Owners can use every permission except `org.update`, others only permissions that they have themselves.',
      params: Team,
      body: NewRole,
      responses: { 201: Role },
      errors: ['conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, body }) => createRole(deps, caller, organizationScope(principal), body),
    }),
    route({
      id: 'changeRole',
      method: 'PATCH',
      path: '/orgs/:org_id/roles/:id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('roles.manage')],
      summary: 'Change a role of the organization',
      description: `${CHANGE} Only owners can change a role with permissions that they do not have.`,
      params: TeamRole,
      body: RoleChange,
      responses: { 200: Role },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, params, body }) =>
        changeRole(deps, caller, organizationScope(principal), { ...body, id: params.id }),
    }),
    route({
      id: 'removeRole',
      method: 'DELETE',
      path: '/orgs/:org_id/roles/:id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('roles.manage')],
      summary: 'Delete a role of the organization',
      description: 'Takes it from all members.',
      params: TeamRole,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      async handler({ deps, caller, principal, params }) {
        await removeRole(deps, caller, organizationScope(principal), params.id);
      },
    }),
  ],
};
