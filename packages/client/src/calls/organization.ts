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
  list: (organization_id: string, query: MemberQuery = {}) =>
    call<MemberList>('GET', path`/orgs/${organization_id}/members`, { query }),
  changeRole: (organization_id: string, user_id: string, body: MemberChange) =>
    call<Member>('PATCH', path`/orgs/${organization_id}/members/${user_id}`, { body }),
  remove: (organization_id: string, user_id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/members/${user_id}`),
});

export const invitationCalls = (call: Call) => ({
  list: (organization_id: string, query: InvitationQuery = {}) =>
    call<InvitationList>('GET', path`/orgs/${organization_id}/invitations`, { query }),
  create: (organization_id: string, body: InvitationRequest) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations`, { body }),
  resend: (organization_id: string, id: string) =>
    call<Invitation>('POST', path`/orgs/${organization_id}/invitations/${id}/resend`),
  revoke: (organization_id: string, id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/invitations/${id}`),
});
