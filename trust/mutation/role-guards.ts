import type { Guard } from './guard.ts';

const ASSIGNMENT = 'features/members/set-roles.test.ts';

export const ROLES: readonly Guard[] = [
  {
    name: 'permissions of a role that the caller lacks',
    file: 'domain/authorization/assign-roles.ts',
    find: 'if (held.has(name) || (!actor.machine && roleHasPermission(actor.role, name))) continue;',
    put: "if (name !== '') continue;",
    tests: ['features/roles/roles.test.ts'],
  },
  {
    name: 'permissions of a role before its change',
    file: 'features/roles/change.ts',
    find: '[...before.permissions, ...(permissions ?? [])]',
    put: 'permissions ?? []',
    tests: ['features/roles/roles.test.ts'],
  },
  {
    name: 'permissions of the roles that a member has already',
    file: 'features/members/set-roles.ts',
    find: 'permissionsIn([...current, ...roles])',
    put: 'permissionsIn(roles)',
    tests: [ASSIGNMENT],
  },
  {
    name: 'roles of a member above the rank of the caller',
    file: 'features/members/set-roles.ts',
    find: '    requireRank(actor, membership.role);\n',
    put: '',
    tests: [ASSIGNMENT],
  },
  {
    name: 'roles of another organization cannot be assigned',
    file: 'features/members/set-roles.ts',
    find: '    requireFound(roles, wanted);\n',
    put: '',
    tests: [ASSIGNMENT],
  },
  {
    name: 'a role that was taken from the caller a moment ago',
    file: 'domain/authorization/require-permission.ts',
    find: '(await lockHeldPermissions(tx, key)).has(permission)',
    put: 'key !== undefined',
    tests: ['features/roles/roles.test.ts'],
  },
  {
    name: 'roles that an inviter could not assign any more',
    file: 'domain/invitations/assign-offered.ts',
    find: 'permissions.every((name) => held.has(name))',
    put: 'permissions !== undefined',
    tests: ['features/invitations/roles.test.ts'],
  },
  {
    name: 'tokens with the roles from before a change are stale',
    file: 'domain/sessions/role-changes/queries.ts',
    find: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint + 1',
    put: '1',
    tests: ['domain/sessions/role-changes/mark.test.ts'],
  },
  {
    name: 'the limit of role writes',
    file: 'domain/authorization/assign-roles.ts',
    find: 'if (count && isOver([counter], count)) throw',
    put: 'if (count === null) throw',
    tests: ['features/roles/roles.test.ts'],
  },
];
