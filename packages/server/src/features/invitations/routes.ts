import {
  Invitation,
  InvitationAccepted,
  InvitationAcceptRequest,
  InvitationList,
  InvitationPreview,
  InvitationQuery,
  InvitationRequest,
  InvitationToken,
  LIMITS,
  LoginSuccess,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldInvitations } from '../../domain/invitations/queries.ts';
import { principalBehind, sessionBehind } from '../../http/caller.ts';
import { open, optionalSession, permitted, signedIn } from '../../http/guards.ts';
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
      method: 'POST',
      path: '/orgs/:org_id/invitations',
      access: [signedIn, permitted('members.invite')],
      summary: 'Invite somebody by mail',
      description: 'The role may not be above your own. The link in the mail is good for seven days, and once.',
      params: Team,
      body: InvitationRequest,
      responses: { 201: Invitation },
      errors: ['conflict', 'rate_limited'],
      handler: async ({ deps, caller, body, reply }) =>
        reply.code(201).send(await invite(deps, caller, principalBehind(caller), body)),
    }),
    route({
      method: 'GET',
      path: '/orgs/:org_id/invitations',
      access: [signedIn, permitted('members.list')],
      summary: 'Invitations of the organization',
      description: 'The newest first. Those that have ended are listed for 90 days.',
      params: Team,
      query: InvitationQuery,
      responses: { 200: InvitationList },
      handler: ({ deps, caller, query }) =>
        listInvited(deps, {
          organization_id: sessionBehind(caller).organization_id,
          status: query.status,
          paging: readPaging(query, LIMITS.teamPageSize),
        }),
    }),
    route({
      method: 'DELETE',
      path: '/orgs/:org_id/invitations/:id',
      access: [signedIn, permitted('members.invite')],
      summary: 'Revoke an invitation',
      params: One,
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, params, reply }) => {
        await revoke(deps, caller, principalBehind(caller), params.id.toLowerCase());
        return reply.code(204).send();
      },
    }),
    route({
      method: 'POST',
      path: '/orgs/:org_id/invitations/:id/resend',
      access: [signedIn, permitted('members.invite')],
      summary: 'Send an invitation again',
      description: 'With a new link and seven more days; the old link is void. You stand for it from now on.',
      params: One,
      responses: { 200: Invitation },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, params }) => resend(deps, caller, principalBehind(caller), params.id.toLowerCase()),
    }),
    route({
      method: 'GET',
      path: '/auth/invitations/preview',
      access: [open],
      summary: 'What an invitation is about',
      description: 'The token is the credential.',
      query: InvitationToken,
      responses: { 200: InvitationPreview },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, query, request }) =>
        preview(deps, caller, { ...query, trust_hash: trustHashOf(request) }),
    }),
    route({
      method: 'POST',
      path: '/auth/invitations/accept',
      access: [optionalSession],
      summary: 'Accept an invitation',
      description:
        'With a session of the invited email: you become a member, and go on in the session you have. An email without an account: give a `password`, and the account is made and signed in. An email that has one: sign in first, unless no organization would let you in: then you become a member by the token alone, and sign in afterwards. While the email of the account is not verified, only a session opened with its password accepts; otherwise choose a new password first.',
      body: InvitationAcceptRequest,
      responses: { 200: Type.Union([LoginSuccess, InvitationAccepted]) },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden', 'csrf_failed', 'not_found', 'conflict', 'rate_limited'],
      handler: async ({ deps, caller, body, request, reply }) => {
        const outcome = await accept(deps, caller, { ...body, trust_hash: trustHashOf(request) });
        return outcome.status === 'accepted' ? outcome : sendSignedIn(reply, deps, outcome);
      },
    }),
  ],
};
