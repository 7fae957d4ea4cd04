import {
  Invitation,
  InvitationAcceptRequest,
  InvitationAcceptResponse,
  InvitationList,
  InvitationPreview,
  InvitationQuery,
  InvitationRequest,
  InvitationToken,
  LIMITS,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldInvitations } from '../../domain/invitations/queries.ts';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { requireAttemptsLeft } from '../../domain/limits/failed-attempts.ts';
import { permitted } from '../../http/guards.ts';
import { newAccountLocale } from '../../http/language.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, trustHashOf } from '../../http/sign-in.ts';
import { accept } from './accept.ts';
import { invite } from './create.ts';
import { listInvited } from './list.ts';
import { preview } from './preview.ts';
import { resend } from './resend.ts';
import { revoke } from './revoke.ts';

const Team = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, id: Uuid });

export const invitations: Feature = {
  name: 'Invitations',
  sweeps: [{ name: 'invitations', sweep: deleteOldInvitations }],
  routes: [
    route({
      id: 'createInvitation',
      method: 'POST',
      path: '/orgs/:org_id/invitations',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.invite')],
      summary: 'Invite a user by mail',
      description:
        'The role may not be above your own. The link in the mail is valid for seven days and can be used once.',
      params: Team,
      body: InvitationRequest,
      responses: { 201: Invitation },
      errors: ['conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, body }) => invite(deps, caller, principal, body),
    }),
    route({
      id: 'listInvitations',
      method: 'GET',
      path: '/orgs/:org_id/invitations',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.list')],
      summary: 'List the invitations of the organization',
      description: 'Newest first. Accepted, revoked and expired invitations are listed for 90 days.',
      params: Team,
      query: InvitationQuery,
      responses: { 200: InvitationList },
      handler: ({ deps, principal, query }) =>
        listInvited(deps, {
          organization_id: organizationOf(principal),
          status: query.status,
          paging: readPaging(query, LIMITS.teamPageSize),
        }),
    }),
    route({
      id: 'revokeInvitation',
      method: 'DELETE',
      path: '/orgs/:org_id/invitations/:id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.invite')],
      summary: 'Revoke an invitation',
      params: One,
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, principal, params }) => {
        await revoke(deps, caller, principal, params.id);
      },
    }),
    route({
      id: 'resendInvitation',
      method: 'POST',
      path: '/orgs/:org_id/invitations/:id/resend',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.invite')],
      summary: 'Resend an invitation',
      description:
        'Sends a new link that is valid for seven days. The old link becomes invalid. You become the inviter.',
      params: One,
      responses: { 200: Invitation },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, principal, params }) => resend(deps, caller, principal, params.id),
    }),
    route({
      id: 'previewInvitation',
      method: 'GET',
      path: '/auth/invitations/preview',
      admits: ['anyone'],
      summary: 'Preview an invitation',
      description: 'The token is the credential.',
      query: InvitationToken,
      responses: { 200: InvitationPreview },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, query, request }) =>
        preview(deps, caller, { ...query, trust_hash: trustHashOf(request) }),
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
    route({
      id: 'acceptInvitation',
      method: 'POST',
      path: '/auth/invitations/accept',
      admits: ['anonymous', 'session'],
      summary: 'Accept an invitation',
      description:
        'With a session of the invited email: adds you to the organization and keeps your session. If the email has no account: send a `password` to create the account and sign in. If the email has an account: sign in first. Exception: an account without any active membership cannot sign in; the token alone makes it a member, and the user signs in afterwards. If the email of the account is not verified, only a session that began with its password can accept; otherwise set a new password first.',
      body: InvitationAcceptRequest,
      responses: { 200: InvitationAcceptResponse },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden', 'csrf_failed', 'not_found', 'conflict', 'rate_limited'],
      handler: async ({ deps, caller, body, request, reply }) => {
        const locale = newAccountLocale(request, body.locale);
        const outcome = await accept(deps, caller, { ...body, locale, trust_hash: trustHashOf(request) });
        return outcome.status === 'accepted' ? outcome : sendSignedIn(reply, deps, outcome);
      },
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
  ],
};
