import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  AuditPage,
  Invitation,
  InvitationList,
  InvitationQuery,
  InvitationRequest,
  Member,
  MemberChange,
  MemberList,
  MemberQuery,
  MemberRolesChange,
  NewRole,
  Organization,
  OrganizationAuditQuery,
  OwnOrganizationChange,
  OwnOrganizationRequest,
  PermissionList,
  Policy,
  PolicyChange,
  PolicyPreview,
  Role,
  RoleChange,
  RoleList,
} from '../wire.ts';

/** Calls for the organization of the session. `create` makes another one. */
export const ownOrganizationCalls = (call: Call) => ({
  /** Returns the organization with the number of its members. */
  read: (organization_id: string) => call<Organization>('GET', path`/orgs/${organization_id}`),
  /** Changes name or slug. A slug that another organization has fails with `conflict`. Requires an owner. */
  update: (organization_id: string, body: OwnOrganizationChange) =>
    call<Organization>('PATCH', path`/orgs/${organization_id}`, { body }),
  /**
   * Creates an organization, of which the caller becomes the owner. The session stays in the current one: switch with
   * `session.switchOrganization`. Requires a verified email.
   */
  create: (body: OwnOrganizationRequest) => call<Organization>('POST', '/orgs', { body }),
  /** Returns the audit events of the organization, newest first, with an exact total. Requires an admin or owner. */
  auditLogs: (organization_id: string, query: OrganizationAuditQuery = {}) =>
    call<AuditPage>('GET', path`/orgs/${organization_id}/audit-logs`, { query }),
  /** Returns the rules for sign-in and sessions. */
  policy: (organization_id: string) => call<Policy>('GET', path`/orgs/${organization_id}/policy`),
  /**
   * Replaces the rules; a rule that is left out gets its default. Fails with `invalid_input` if your own session would
   * not meet them. Requires an owner and a recent sign-in.
   */
  setPolicy: (organization_id: string, body: PolicyChange) =>
    call<Policy>('PUT', path`/orgs/${organization_id}/policy`, { body }),
  /** Counts the members that each rule would affect. Changes nothing. Requires an owner. */
  previewPolicy: (organization_id: string, body: PolicyChange) =>
    call<PolicyPreview>('POST', path`/orgs/${organization_id}/policy/preview`, { body }),
});

/** Calls for the organization of the session. */
export const memberCalls = (call: Call) => ({
  /** Returns the members, oldest membership first. `q` searches email and name. */
  list: (organization_id: string, query: MemberQuery = {}) =>
    call<MemberList>('GET', path`/orgs/${organization_id}/members`, { query }),
  /** Changes the role of a member, up to the caller's own rank. Demoting the last owner fails with `conflict`. */
  changeRole: (organization_id: string, user_id: string, body: MemberChange) =>
    call<Member>('PATCH', path`/orgs/${organization_id}/members/${user_id}`, { body }),
  /** Replaces the roles that a member has besides the base role. An access token of the member is then stale. */
  setRoles: (organization_id: string, user_id: string, body: MemberRolesChange) =>
    call<Member>('PUT', path`/orgs/${organization_id}/members/${user_id}/roles`, { body }),
  /**
   * Removes a member and revokes their sessions in this organization. With your own id, you leave and are signed out.
   */
  remove: (organization_id: string, user_id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/members/${user_id}`),
  /** Unlinks a member from single sign-on and ends those sessions. The next sign-in links the member again. */
  unlinkSso: (organization_id: string, user_id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/members/${user_id}/sso-identity`),
});

export const roleCalls = (call: Call) => ({
  /** Returns the global roles, then those of the organization. */
  list: (organization_id: string) => call<RoleList>('GET', path`/orgs/${organization_id}/roles`),
  /** Returns the permissions that the product has declared and roles can contain, sorted by name. */
  permissions: (organization_id: string) => call<PermissionList>('GET', path`/orgs/${organization_id}/permissions`),
  /** Creates a role of the organization. Owners may use every permission, others only those they have. */
  create: (organization_id: string, body: NewRole) =>
    call<Role>('POST', path`/orgs/${organization_id}/roles`, { body }),
  /** Changes a role of the organization. Fields that are left out stay as they are. */
  change: (organization_id: string, id: string, body: RoleChange) =>
    call<Role>('PATCH', path`/orgs/${organization_id}/roles/${id}`, { body }),
  /** Deletes a role of the organization. All members lose it. */
  remove: (organization_id: string, id: string) => call<void>('DELETE', path`/orgs/${organization_id}/roles/${id}`),
});

export const invitationCalls = (call: Call) => ({
  /** Returns all invitations, newest first, including accepted, revoked and expired ones. */
  list: (organization_id: string, query: InvitationQuery = {}) =>
    call<InvitationList>('GET', path`/orgs/${organization_id}/invitations`, { query }),
  /** Invites an address by mail. Fails with `conflict` if it belongs to a member or has a pending invitation. */
  create: (organization_id: string, body: InvitationRequest) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations`, { body }),
  /** Mails the invitation again with a new link and invalidates the old one. */
  resend: (organization_id: string, id: string) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations/${id}/resend`),
  /** Revokes an invitation. An accepted one fails with `conflict`: remove the member instead. */
  revoke: (organization_id: string, id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/invitations/${id}`),
});
