import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { PageOf, pageQuery } from './page.ts';
import { RoleSummary } from './role.ts';
import { Nullable, Text, Timestamp, Uuid } from './text.ts';

/** docs/reference/organizations.md#base-roles: owner > admin > member. */
export const MemberRole = Type.Enum(['owner', 'admin', 'member']);
export type MemberRole = Static<typeof MemberRole>;

export const Member = Type.Object({
  user_id: Uuid,
  email: Type.String(),
  display_name: Nullable(Type.String()),
  avatar_url: Nullable(Type.String()),
  role: MemberRole,
  status: Type.Enum(['active', 'disabled', 'deleted']),
  mfa_enabled: Type.Boolean(),
  joined_at: Timestamp,
  roles: Type.Array(RoleSummary, { description: 'Besides the base role in `role`. Sorted by slug.' }),
});
export type Member = Static<typeof Member>;

export const MemberList = PageOf(Member);
export type MemberList = Static<typeof MemberList>;

export const MemberQuery = Type.Object({
  q: Type.Optional({ ...Text(0, 320), description: 'Part of the email or the display name. Blank lists all.' }),
  ...pageQuery(LIMITS.teamPageSize),
});
export type MemberQuery = Static<typeof MemberQuery>;

export const MemberChange = Type.Object({ role: MemberRole });
export type MemberChange = Static<typeof MemberChange>;
