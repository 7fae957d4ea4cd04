/** The roles of docs/reference/organizations.md#base-roles. */
export type PlatformRole = 'viewer' | 'admin' | 'owner';
export type OrganizationRole = 'member' | 'admin' | 'owner';

const PLATFORM_RANK: Record<PlatformRole, number> = { viewer: 1, admin: 2, owner: 3 };

/** Whether `role` is at least `asked` (viewer < admin < owner). Null means no platform role. */
export const reaches = (role: PlatformRole | null, asked: PlatformRole): boolean =>
  role !== null && PLATFORM_RANK[role] >= PLATFORM_RANK[asked];

const ORGANIZATION_RANK: Record<OrganizationRole, number> = { member: 1, admin: 2, owner: 3 };

/** Whether `role` is at least `other` (member < admin < owner). Members manage others up to their own rank. */
export const ranksAtLeast = (role: OrganizationRole, other: OrganizationRole): boolean =>
  ORGANIZATION_RANK[role] >= ORGANIZATION_RANK[other];

const MEMBER = ['members.list', 'org.read'] as const;
const ADMIN = [
  ...MEMBER,
  'members.invite',
  'members.remove',
  'members.update_role',
  'audit.read',
  'roles.manage',
  'machines.manage',
  'webhooks.manage',
] as const;
const OWNER = [...ADMIN, 'org.update', 'policy.manage', 'sso.manage'] as const;

/** The service's own permissions of each base role, sorted. */
const PERMISSIONS: Record<OrganizationRole, readonly string[]> = {
  member: [...MEMBER].sort(),
  admin: [...ADMIN].sort(),
  owner: [...OWNER].sort(),
};

export type OrganizationPermission = (typeof OWNER)[number];

/** The roles of a member besides the base role, and what they allow together. */
export interface HeldRoles {
  /** Slugs. */
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

/** What decides about the permissions of a member: the base role, and the roles besides it, if there are any. */
export interface MemberPermissions {
  readonly role: OrganizationRole;
  readonly held: HeldRoles | null;
}

export const roleHasPermission = (role: OrganizationRole, permission: string): boolean =>
  PERMISSIONS[role].includes(permission);

export const hasPermission = ({ role, held }: MemberPermissions, permission: OrganizationPermission): boolean =>
  roleHasPermission(role, permission) || held?.permissions.includes(permission) === true;

/** The permissions of the base role and all other roles, sorted. */
export const permissionsOf = ({ role, held }: MemberPermissions): string[] =>
  held === null ? [...PERMISSIONS[role]] : [...new Set([...PERMISSIONS[role], ...held.permissions])].sort();

/** Prefixes that are reserved for the service's own permissions, also for future ones. */
const RESERVED = /^(org|members|audit|roles|machines|webhooks|policy|sso)\./;

/** Whether the permission belongs to the product: its name has no reserved prefix. */
export const isProductPermission = (name: string): boolean => !RESERVED.test(name);

/** docs/reference/organizations.md#roles: only the base role `owner` has these. No custom role can contain them. */
const OWNERS_ONLY: ReadonlySet<string> = new Set(['org.update', 'policy.manage', 'sso.manage']);

export const isGrantable = (name: string): boolean => roleHasPermission('owner', name) && !OWNERS_ONLY.has(name);
