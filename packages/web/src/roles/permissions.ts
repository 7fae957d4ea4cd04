import type { Permission, Role } from '@gatehouse/contract';

/**
 * The first words of the permissions of the service itself
 * (docs/reference/organizations.md#permissions-of-the-product).
 */
const SERVICE = ['org', 'members', 'audit', 'roles', 'machines', 'webhooks', 'policy', 'sso'];

export const isOfService = (name: string): boolean => SERVICE.includes(name.split('.')[0]!);

/** Permissions that only the base roles (owner, admin, member) can have. */
const NEVER_IN_ROLES = ['org.update', 'policy.manage', 'sso.manage'];

export const isPermissionName = (name: string): boolean =>
  name.length <= 80 && /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+$/.test(name);

export interface Choice {
  readonly name: string;
  readonly description: string | null;
}

/** Permissions of the service that a role may contain. Their descriptions are in `text/`. */
export const SERVICE_PERMISSIONS = [
  'org.read',
  'members.list',
  'members.invite',
  'members.update_role',
  'members.remove',
  'roles.manage',
  'machines.manage',
  'audit.read',
  'webhooks.manage',
] as const;

export const isDescribed = (name: string): name is (typeof SERVICE_PERMISSIONS)[number] =>
  SERVICE_PERMISSIONS.some((known) => known === name);

interface Known {
  /** Permissions in use: of the viewer and of the roles. */
  readonly used: readonly string[];
  readonly declared: readonly Permission[];
}

export function choicesOf({ used, declared }: Known): Choice[] {
  const described = new Map<string, string | null>([
    ...[...SERVICE_PERMISSIONS, ...used].map((name) => [name, null] as const),
    ...declared.map(({ name, description }) => [name, description] as const),
  ]);
  return [...described]
    .filter(([name]) => !NEVER_IN_ROLES.includes(name))
    .map(([name, description]) => ({ name, description }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Owners may give every permission, others only those they have. */
export const mayGive = (
  { role, permissions }: { readonly role: string; readonly permissions: readonly string[] },
  names: readonly string[],
): boolean => role === 'owner' || names.every((name) => permissions.includes(name));

export const permissionsIn = (roles: readonly Role[]): string[] => roles.flatMap(({ permissions }) => permissions);
