import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  Invitation,
  InvitationList,
  InvitationQuery,
  InvitationRequest,
  Member,
  MemberChange,
  MemberList,
  MemberQuery,
} from '../wire.ts';

/** Of the organization the session is in. */
export const memberCalls = (call: Call) => ({
  /** Who belongs to it, those who joined first first. `q` looks in email and name. */
  list: (organization_id: string, query: MemberQuery = {}) =>
    call<MemberList>('GET', path`/orgs/${organization_id}/members`, { query }),
  /** Gives a member another role; nobody reaches above their own. The last owner stays one: `conflict`. */
  changeRole: (organization_id: string, user_id: string, body: MemberChange) =>
    call<Member>('PATCH', path`/orgs/${organization_id}/members/${user_id}`, { body }),
  /** Removes a member, or lets you leave with your own id: sessions in this organization end, and then yours is over too. */
  remove: (organization_id: string, user_id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/members/${user_id}`),
});

export const invitationCalls = (call: Call) => ({
  /** Its invitations, newest first, those that have ended too. */
  list: (organization_id: string, query: InvitationQuery = {}) =>
    call<InvitationList>('GET', path`/orgs/${organization_id}/invitations`, { query }),
  /** Invites an address by mail. A member, or somebody who is invited already, is a `conflict`. */
  create: (organization_id: string, body: InvitationRequest) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations`, { body }),
  /** Mails it again with a new link; the old link is void. */
  resend: (organization_id: string, id: string) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations/${id}/resend`),
  /** Takes it back. One that was accepted is a `conflict`: remove the member. */
  revoke: (organization_id: string, id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/invitations/${id}`),
});
