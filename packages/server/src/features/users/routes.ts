import {
  AccountDeletion,
  AccountExport,
  PasswordChangeRequest,
  PlatformRoleChange,
  ProfileChange,
  User,
  UserPage,
  UserQuery,
  UserStatusChange,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { FRESH_AUTH_WINDOW } from '../../domain/authorization/fresh-auth.ts';
import { mergeUserCounts } from '../../domain/users/queries.ts';
import { clearCookies } from '../../http/cookies.ts';
import { freshAuth, platform, platformOrSelf, secondFactorGiven } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, route } from '../../http/route.ts';
import { areCookiesOf, clearSessionCookies } from '../../http/sign-in.ts';
import { JSON_TYPE } from '../../http/written-once.ts';
import { changePassword } from './change-password.ts';
import { setPlatformRole } from './change-platform-role.ts';
import { changeStatus } from './change-status.ts';
import { deleteUser } from './delete.ts';
import { deleteOwnAccount } from './delete-own.ts';
import { exportOwnData } from './export-own.ts';
import { findOne } from './find.ts';
import { listAll } from './list.ts';
import { findMe } from './me.ts';
import { signOut } from './sign-out.ts';
import { updateOwnProfile } from './update-profile.ts';

const UserPath = Type.Object({ id: Uuid });

export const users: Feature = {
  name: 'Users',
  sweeps: [{ name: 'user counts', sweep: mergeUserCounts }],
  routes: [
    route({
      id: 'getOwnAccount',
      method: 'GET',
      path: '/users/me',
      admits: ['session', 'sso', 'restricted'],
      summary: 'Get your account and memberships',
      responses: { 200: User },
      handler: ({ deps, session }) => findMe(deps, session),
    }),
    route({
      id: 'changeOwnAccount',
      method: 'PATCH',
      path: '/users/me',
      admits: ['session'],
      summary: 'Change your name or language',
      description: 'An omitted field is unchanged. null, or a blank name, clears it.',
      body: ProfileChange,
      responses: { 200: User },
      handler: ({ deps, caller, session, body }) => updateOwnProfile(deps, caller, session, body),
    }),
    route({
      id: 'removeOwnAccount',
      method: 'DELETE',
      path: '/users/me',
      admits: ['session'],
      access: [freshAuth],
      summary: 'Delete your account',
      description:
        'The record remains, with `status` deleted and without credentials. The email can be used again immediately. Returns 409 for the last owner of an organization that has other members, and for the last platform owner. An organization whose only member you were is suspended.',
      body: AccountDeletion,
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['conflict', 'rate_limited'],
      handler: async ({ deps, caller, session, body, request, reply }) => {
        await deleteOwnAccount(deps, caller, session, body);
        if (areCookiesOf(session.session_id, request, deps)) {
          clearSessionCookies(reply, deps);
          clearCookies(reply, deps.config, ['service_trust']);
        }
      },
    }),
    route({
      id: 'exportOwnData',
      method: 'POST',
      path: '/users/me/export',
      admits: ['session'],
      access: [freshAuth],
      summary: 'Download all data about you',
      description: 'Contains no secrets. Records that ended are included for as long as they are stored.',
      responses: { 200: AccountExport },
      sends: ['Content-Disposition'],
      errors: ['rate_limited'],
      handler: async ({ deps, caller, session, reply }) => {
        const text = await exportOwnData(deps, caller, session);
        const name = `account-${deps.clock.now().toISOString().slice(0, 10)}.json`;
        return reply.type(JSON_TYPE).header('content-disposition', `attachment; filename="${name}"`).send(text);
      },
    }),
    route({
      id: 'changePassword',
      method: 'POST',
      path: '/users/me/password',
      admits: ['session'],
      access: [secondFactorGiven(FRESH_AUTH_WINDOW)],
      summary: 'Change your password, or set the first one',
      description:
        'Ends every other session and revokes every trusted browser. For an account without a password, omit `current_password`; this requires a sign-in or a second factor within the last 15 minutes.',
      body: PasswordChangeRequest,
      responses: { 204: null },
      errors: ['mfa_required', 'rate_limited'],
      handler: async ({ deps, caller, session, body }) => {
        await changePassword(deps, caller, session, body);
      },
    }),
    route({
      id: 'getUser',
      method: 'GET',
      path: '/users/:id',
      admits: ['session'],
      access: [platformOrSelf],
      summary: 'Get a user',
      description: 'Includes deleted users. Other callers cannot find out whether the user exists.',
      params: UserPath,
      responses: { 200: User },
      errors: ['not_found'],
      handler: ({ deps, params }) => findOne(deps, params.id),
    }),
    route({
      id: 'listUsers',
      method: 'GET',
      path: '/admin/users',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List users, newest first or in another order',
      description: 'Includes deleted users; see `status`.',
      query: UserQuery,
      responses: { 200: UserPage },
      handler: ({ deps, query }) => {
        const { q, organization_id, status, sort } = query;
        return listAll(deps, { q, organization_id, status, sort, ...readPaging(query) });
      },
    }),
    route({
      id: 'changeUserStatus',
      method: 'PATCH',
      path: '/admin/users/:id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Disable or enable a user',
      description:
        'Disabling ends every session, revokes trusted browsers and prevents every kind of sign-in. Returns 403 for a user with a higher platform role than your own, 409 for the last platform owner.',
      params: UserPath,
      body: UserStatusChange,
      responses: { 200: User },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, principal, params, body: { status } }) =>
        changeStatus(deps, caller, principal, { user_id: params.id, status }),
    }),
    route({
      id: 'removeUser',
      method: 'DELETE',
      path: '/admin/users/:id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Delete a user',
      description:
        'The record remains, with `status` deleted and without credentials. The email can be used again immediately. Returns 403 for a user with a higher platform role than your own, 409 for the last platform owner.',
      params: UserPath,
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, principal, params }) => {
        await deleteUser(deps, caller, principal, params.id);
      },
    }),
    route({
      id: 'endUserSessions',
      method: 'DELETE',
      path: '/admin/users/:id/sessions',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Sign a user out everywhere',
      description: 'Returns 403 for a user with a higher platform role than your own.',
      params: UserPath,
      responses: { 204: null },
      errors: ['not_found'],
      handler: async ({ deps, caller, principal, params }) => {
        await signOut(deps, caller, principal, params.id);
      },
    }),
    route({
      id: 'setPlatformRole',
      method: 'PUT',
      path: '/admin/users/:id/platform-role',
      admits: ['session'],
      access: [platform('owner'), freshAuth],
      summary: "Grant, change or revoke a user's platform role",
      description: 'Returns 409 for the last platform owner, and if a role is granted to a disabled user.',
      params: UserPath,
      body: PlatformRoleChange,
      responses: { 200: User },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, principal, params, body: { role } }) =>
        setPlatformRole(deps, caller, principal, { user_id: params.id, role }),
    }),
  ],
};
