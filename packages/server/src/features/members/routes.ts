import { LIMITS, Member, MemberChange, MemberList, MemberQuery, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { isUser } from '../../domain/access/principal.ts';
import { deleteOldMemberships } from '../../domain/memberships/queries.ts';
import { principalBehind, sessionBehind } from '../../http/caller.ts';
import { isByCookie, permitted, signedIn } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, route } from '../../http/route.ts';
import { clearSessionCookies } from '../../http/sign-in.ts';
import { changeRole } from './change-role.ts';
import { listTeam } from './list.ts';
import { removeMember } from './remove.ts';

const Team = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, user_id: Uuid });

export const members: Feature = {
  name: 'Members',
  sweeps: [{ name: 'memberships', sweep: deleteOldMemberships }],
  routes: [
    route({
      method: 'GET',
      path: '/orgs/:org_id/members',
      access: [signedIn, permitted('members.list')],
      summary: 'Members of the organization',
      description: 'Who joined first comes first. In `q`, `%` and `_` stand for themselves, and case does not matter.',
      params: Team,
      query: MemberQuery,
      responses: { 200: MemberList },
      handler: ({ deps, caller, query }) =>
        listTeam(deps, {
          organization_id: sessionBehind(caller).organization_id,
          q: query.q,
          paging: readPaging(query, LIMITS.teamPageSize),
        }),
    }),
    route({
      method: 'PATCH',
      path: '/orgs/:org_id/members/:user_id',
      access: [signedIn, permitted('members.update_role')],
      summary: 'Change the role of a member',
      description:
        'Neither the role they have nor the one they get may be above your own. The last owner cannot be demoted.',
      params: One,
      body: MemberChange,
      responses: { 200: Member },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, params, body }) =>
        changeRole(deps, caller, principalBehind(caller), { user_id: params.user_id.toLowerCase(), role: body.role }),
    }),
    route({
      method: 'DELETE',
      path: '/orgs/:org_id/members/:user_id',
      access: [signedIn, permitted('members.remove', { orSelf: true })],
      summary: 'Remove a member, or leave',
      description:
        'Ends their sessions in this organization. Nobody removes who is above them; everybody may remove themselves, without a permission. The last owner stays, and so does the only member by whom the platform can still be owned.',
      params: One,
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, params, request, reply }) => {
        const principal = principalBehind(caller);
        const user_id = params.user_id.toLowerCase();
        await removeMember(deps, caller, principal, user_id);
        if (isUser(principal, user_id) && isByCookie(request)) clearSessionCookies(reply, deps);
        return reply.code(204).send();
      },
    }),
  ],
};
