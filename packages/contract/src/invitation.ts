import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { LIMITS } from './limits.ts';
import { LoginSuccess } from './login-response.ts';
import { MemberRole } from './member.ts';
import { PageOf, pageQuery } from './page.ts';
import { RoleIds } from './role.ts';
import { GivenLocale, GivenToken, NewPassword, Text, Timestamp, Uuid } from './text.ts';

/** §3 */
export const InvitationStatus = Type.Enum(['pending', 'accepted', 'revoked', 'expired']);
export type InvitationStatus = Static<typeof InvitationStatus>;

/** An invitation as members see it. No response contains its token, which is only in the mail. */
export const Invitation = Type.Object({
  id: Uuid,
  organization_id: Uuid,
  email: Type.String(),
  role: MemberRole,
  status: InvitationStatus,
  inviter_email: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  role_ids: Type.Array(Uuid, {
    description: 'Roles that the new member gets besides `role`. Deleted roles are left out.',
  }),
});
export type Invitation = Static<typeof Invitation>;

export const InvitationList = PageOf(Invitation);
export type InvitationList = Static<typeof InvitationList>;

export const InvitationQuery = Type.Object({
  status: Type.Optional(InvitationStatus),
  ...pageQuery(LIMITS.teamPageSize),
});
export type InvitationQuery = Static<typeof InvitationQuery>;

export const InvitationRequest = Type.Object({
  email: Email,
  role: MemberRole,
  role_ids: Type.Optional(RoleIds),
});
export type InvitationRequest = Static<typeof InvitationRequest>;

/** §2.8 */
export const InvitationPreview = Type.Object({
  organization_name: Type.String(),
  role: MemberRole,
  inviter_email: Type.String(),
  email: Type.String(),
  expires_at: Timestamp,
});
export type InvitationPreview = Static<typeof InvitationPreview>;

export const InvitationToken = Type.Object({ token: GivenToken });
export type InvitationToken = Static<typeof InvitationToken>;

/** All fields but `token` are for users without an account. */
export const InvitationAcceptRequest = Type.Object({
  token: GivenToken,
  password: Type.Optional(NewPassword),
  display_name: Type.Optional(Text(0, 120)),
  locale: GivenLocale(),
});
export type InvitationAcceptRequest = Static<typeof InvitationAcceptRequest>;

/** The response to a user with an account, who stays in the current session. */
export const InvitationAccepted = Type.Object({
  status: Type.Literal('accepted'),
  organization_id: Uuid,
  role: MemberRole,
});
export type InvitationAccepted = Static<typeof InvitationAccepted>;

/** Contains a new session, unless the caller was signed in. */
export const InvitationAcceptResponse = Type.Union([LoginSuccess, InvitationAccepted]);
export type InvitationAcceptResponse = Static<typeof InvitationAcceptResponse>;
