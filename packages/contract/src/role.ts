import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Slug } from './sign-in.ts';
import { Name, Nullable, Text, Timestamp, Uuid } from './text.ts';

/** Two or more words joined by dots: `invoices.read`. */
export const PermissionName = Type.String({
  format: 'permission',
  minLength: 1,
  maxLength: LIMITS.permission.name,
  examples: ['invoices.read'],
});

const Description = Text(0, LIMITS.role.description);

/** A permission of the product. The service stores it and puts it into access tokens; only the product checks it. */
export const Permission = Type.Object({
  name: PermissionName,
  description: Nullable(Type.String({ examples: ['See all invoices'] })),
  created_at: Timestamp,
});
export type Permission = Static<typeof Permission>;

/** Sorted by name. */
export const PermissionList = Type.Object({ items: Type.Array(Permission) });
export type PermissionList = Static<typeof PermissionList>;

/** The body of a PUT. It replaces the row, so a `description` that is left out is null. */
export const PermissionChange = Type.Object(
  { description: Type.Optional(Nullable(Description)) },
  { examples: [{ description: 'See all invoices' }] },
);
export type PermissionChange = Static<typeof PermissionChange>;

/** A role in the record of a member or service account that has it. */
export const RoleSummary = Type.Object({
  id: Uuid,
  slug: Type.String({ examples: ['accountant'] }),
  name: Type.String({ examples: ['Accountant'] }),
});
export type RoleSummary = Static<typeof RoleSummary>;

export const Role = Type.Object({
  id: Uuid,
  organization_id: Nullable(
    Type.String({ format: 'uuid', description: 'Null: a global role, which every organization can assign.' }),
  ),
  name: Type.String({ examples: ['Accountant'] }),
  slug: Type.String({ examples: ['accountant'] }),
  description: Nullable(Type.String()),
  permissions: Type.Array(Type.String(), { description: 'Sorted.', examples: [['invoices.read', 'invoices.write']] }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Role = Static<typeof Role>;

/** Global roles first, each kind sorted by name. */
export const RoleList = Type.Object({ items: Type.Array(Role) });
export type RoleList = Static<typeof RoleList>;

const GivenPermissions = Type.Array(PermissionName, { maxItems: LIMITS.role.listed });

export const NewRole = Type.Object(
  {
    name: Name(LIMITS.role.name),
    slug: Type.Optional(Slug),
    description: Type.Optional(Nullable(Description)),
    permissions: Type.Optional(GivenPermissions),
  },
  { examples: [{ name: 'Accountant', permissions: [] }] },
);
export type NewRole = Static<typeof NewRole>;

/** Fields that are left out stay as they are. */
export const RoleChange = Type.Object(
  {
    name: Type.Optional(Name(LIMITS.role.name)),
    slug: Type.Optional(Slug),
    description: Type.Optional(Nullable(Description)),
    permissions: Type.Optional(GivenPermissions),
  },
  { examples: [{ name: 'Accountant' }] },
);
export type RoleChange = Static<typeof RoleChange>;

export const RoleIds = Type.Array(Uuid, {
  maxItems: LIMITS.role.listed,
  description: 'Global roles, and roles of this organization.',
});
export type RoleIds = Static<typeof RoleIds>;

/** Replaces all roles of a member. The base role stays. */
export const MemberRolesChange = Type.Object({ role_ids: RoleIds }, { examples: [{ role_ids: [] }] });
export type MemberRolesChange = Static<typeof MemberRolesChange>;
