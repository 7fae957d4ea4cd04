/** Contract, section 3. */
export type PlatformRole = 'viewer' | 'admin' | 'owner';
export type OrganizationRole = 'member' | 'admin' | 'owner';

const PLATFORM_RANK: Record<PlatformRole, number> = { viewer: 1, admin: 2, owner: 3 };

/** Viewer < admin < owner; null is no role. */
export const reaches = (role: PlatformRole | null, asked: PlatformRole): boolean =>
  role !== null && PLATFORM_RANK[role] >= PLATFORM_RANK[asked];

const ORGANIZATION_RANK: Record<OrganizationRole, number> = { member: 1, admin: 2, owner: 3 };

/** Owner > admin > member. Users grant, invite, edit and remove up to their own rank. */
export const ranksAtLeast = (role: OrganizationRole, other: OrganizationRole): boolean =>
  ORGANIZATION_RANK[role] >= ORGANIZATION_RANK[other];

const PERMISSIONS = {
  member: ['org.read', 'members.list'],
  admin: ['org.read', 'members.list', 'members.invite', 'members.remove', 'members.update_role', 'audit.read'],
  owner: [
    'org.read',
    'members.list',
    'members.invite',
    'members.remove',
    'members.update_role',
    'audit.read',
    'org.update',
  ],
} as const satisfies Record<OrganizationRole, readonly string[]>;

export type OrganizationPermission = (typeof PERMISSIONS)['owner'][number];

export const permissionsOf = (role: OrganizationRole): readonly OrganizationPermission[] => PERMISSIONS[role];

export const hasPermission = (role: OrganizationRole, permission: OrganizationPermission): boolean =>
  permissionsOf(role).includes(permission);
