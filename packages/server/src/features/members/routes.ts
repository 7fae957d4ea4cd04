import { LIMITS, Member, MemberChange, MemberList, MemberQuery, MemberRolesChange, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { isUser, organizationOf } from '../../domain/kernel/principal.ts';
import { isByCookie } from '../../http/bearer.ts';
import { permitted } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, route } from '../../http/route.ts';
import { clearSessionCookies } from '../../http/sign-in.ts';
import { changeRole } from './change-role.ts';
import { listTeam } from './list.ts';
import { removeMember } from './remove.ts';
import { setRoles } from './set-roles.ts';

const Team = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, user_id: Uuid });

export const members: Feature = {
  name: 'Members',
  routes: [
    route({
      id: 'listMembers',
      method: 'GET',
      path: '/orgs/:org_id/members',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.list')],
      summary: 'List the members of the organization',
      description: 'Sorted by the time of joining, oldest first. In `q`, `%` and `_` are literal, and case is ignored.',
      params: Team,
      query: MemberQuery,
      responses: { 200: MemberList },
      handler: ({ deps, principal, query }) =>
        listTeam(deps, {
          organization_id: organizationOf(principal),
          q: query.q,
          paging: readPaging(query, LIMITS.teamPageSize),
        }),
    }),
    route({
      id: 'changeMemberRole',
      method: 'PATCH',
      path: '/orgs/:org_id/members/:user_id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.update_role')],
      summary: 'Change the role of a member',
      description:
        'Neither the current role nor the new role of the member may be above your own. The last owner cannot be demoted.',
      params: One,
      body: MemberChange,
      responses: { 200: Member },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, principal, params, body }) =>
        changeRole(deps, caller, principal, { user_id: params.user_id, role: body.role }),
    }),
    route({
      id: 'setMemberRoles',
      method: 'PUT',
      path: '/orgs/:org_id/members/:user_id/roles',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('roles.manage')],
      summary: 'Set the roles of a member',
      description:
        'Replaces the roles that the member has besides the base role. The base role of the member may not be above your own. Only owners can assign or take a role with permissions that they do not have.',
      params: One,
      body: MemberRolesChange,
      responses: { 200: Member },
      errors: ['not_found', 'rate_limited'],
      handler: ({ deps, caller, principal, params, body }) =>
        setRoles(deps, caller, principal, { ...body, user_id: params.user_id }),
    }),
    route({
      id: 'removeMember',
      method: 'DELETE',
      path: '/orgs/:org_id/members/:user_id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('members.remove', { orSelf: true })],
      summary: 'Remove a member, or leave the organization',
      description:
        'Ends the sessions of the member in this organization. You cannot remove a member with a role above your own. Every member can leave, without a permission. The last owner cannot be removed, nor can a platform owner if no platform owner could sign in afterwards.',
      params: One,
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, principal, params, request, reply }) => {
        const { user_id } = params;
        await removeMember(deps, caller, principal, user_id);
        if (isUser(principal, user_id) && isByCookie(request)) clearSessionCookies(reply, deps);
      },
    }),
  ],
};
