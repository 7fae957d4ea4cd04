import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { PAGE_QUERY, PageOf, sortQuery } from './page.ts';
import { GivenPassword, MAX_LOCALE, NewPassword, Nullable, Text, Timestamp, Uuid } from './text.ts';

export const Membership = Type.Object({
  organization_id: Uuid,
  organization_name: Type.String(),
  organization_slug: Type.String(),
  role: Type.Enum(['owner', 'admin', 'member']),
  joined_at: Timestamp,
});
export type Membership = Static<typeof Membership>;

const USER_STATUSES = ['active', 'disabled', 'deleted'] as const;
const PLATFORM_ROLES = ['viewer', 'admin', 'owner'] as const;

/** §2.9, docs/reference/accounts.md#profile: the user record. */
export const User = Type.Object({
  id: Uuid,
  email: Type.String(),
  email_verified: Type.Boolean(),
  display_name: Nullable(Type.String()),
  locale: Nullable(Type.String()),
  avatar_url: Nullable(Type.String()),
  status: Type.Enum([...USER_STATUSES]),
  has_password: Type.Boolean(),
  mfa_enabled: Type.Boolean(),
  platform_role: Nullable(Type.Enum([...PLATFORM_ROLES])),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_password_change_at: Nullable(Timestamp),
  last_login_at: Nullable(Timestamp),
  memberships: Type.Array(Membership),
});
export type User = Static<typeof User>;

export const UserPage = PageOf(User);
export type UserPage = Static<typeof UserPage>;

export const UserQuery = Type.Object({
  q: Type.Optional(
    Type.String({ format: 'text', maxLength: 254, description: 'Part of the email or name; blank lists all.' }),
  ),
  organization_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only members of this organization.' })),
  status: Type.Optional(Type.Enum([...USER_STATUSES], { description: 'Only users with this status; default: all.' })),
  sort: sortQuery(
    ['created_at', 'email', 'last_login_at'],
    'Default: newest first. By `last_login_at`, users without a sign-in come last.',
  ),
  ...PAGE_QUERY,
});
export type UserQuery = Static<typeof UserQuery>;

export const UserStatusChange = Type.Object({ status: Type.Enum(['active', 'disabled']) });
export type UserStatusChange = Static<typeof UserStatusChange>;

export const PlatformRoleChange = Type.Object({
  role: Nullable(Type.Enum([...PLATFORM_ROLES], { description: 'null revokes the role.' })),
});
export type PlatformRoleChange = Static<typeof PlatformRoleChange>;

export const ProfileChange = Type.Object({
  display_name: Type.Optional(Nullable(Text(0, 120))),
  locale: Type.Optional(Nullable(Type.String({ format: 'locale', maxLength: MAX_LOCALE, examples: ['de-CH'] }))),
});
export type ProfileChange = Static<typeof ProfileChange>;

/** `current_password` is omitted for an account without a password. */
export const PasswordChangeRequest = Type.Object(
  { current_password: Type.Optional(GivenPassword), new_password: NewPassword },
  { examples: [{ current_password: 'correct horse battery staple', new_password: 'wrong mule charger paperclip' }] },
);
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>;

/** `password` is omitted for an account without a password. */
export const EmailChangeRequest = Type.Object(
  { email: Email, password: Type.Optional(GivenPassword) },
  { examples: [{ email: 'ada@example.org', password: 'correct horse battery staple' }] },
);
export type EmailChangeRequest = Static<typeof EmailChangeRequest>;
