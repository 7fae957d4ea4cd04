import {
  CurrentSession,
  LoginSuccess,
  OrganizationSwitchRequest,
  RefreshResponse,
  SessionList,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { describeMachine } from '../../domain/machines/describe.ts';
import { describeSession } from '../../domain/sessions/describe.ts';
import { deleteExpiredRevocations } from '../../domain/sessions/queries.ts';
import { deleteOldRefreshUses } from '../../domain/sessions/refresh/queries.ts';
import { rotate, USES_KEPT } from '../../domain/sessions/refresh/rotate.ts';
import { renewAccess } from '../../domain/sessions/renew-access.ts';
import { deleteEndedSessions } from '../../domain/sessions/sweep.ts';
import { describeCurrent, mayBeUnproven } from '../../domain/unproven/unproven.ts';
import { isByCookie, sessionShown } from '../../http/bearer.ts';
import { refreshBehind } from '../../http/caller.ts';
import { clearCookies } from '../../http/cookies.ts';
import { isFromOurPages } from '../../http/csrf.ts';
import { platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import {
  areCookiesOf,
  clearSessionCookies,
  refreshClaimsOf,
  sendContinued,
  sendRefreshed,
  sendSignedIn,
} from '../../http/sign-in.ts';
import { JSON_TYPE, writtenOnce } from '../../http/written-once.ts';
import { after } from '../../platform/clock.ts';
import { currentSession } from './current-session.ts';
import { listSessions, listUserSessions } from './list.ts';
import { logout } from './logout.ts';
import { revokeAll, revokeOfUser, revokeOne } from './revoke.ts';
import { switchOrganization } from './switch-organization.ts';

/** Unproven credentials are computed on each read, so this response is never cached. */
const describeUnproven = async (deps: Deps, session: SessionState): Promise<string> =>
  JSON.stringify(await describeCurrent(deps, session));

/** docs/reference/sessions.md#endpoints */
export const sessions: Feature = {
  name: 'Sessions',
  sweeps: [
    { name: 'refresh uses', sweep: (db, now, limit) => deleteOldRefreshUses(db, after(now, -USES_KEPT), limit) },
    { name: 'revocations', sweep: deleteExpiredRevocations },
    { name: 'sessions', sweep: deleteEndedSessions },
  ],
  routes: [
    route({
      id: 'refreshSession',
      method: 'POST',
      path: '/auth/refresh',
      admits: ['refresh'],
      summary: 'Rotate the refresh token and get a new access token',
      description:
        'A refresh token can be used once. A second use within ten seconds is rejected with `Retry-After` and changes nothing; a later one ends the session.',
      responses: { 200: RefreshResponse },
      sends: ['Set-Cookie'],
      errors: ['forbidden'],
      handler: async ({ deps, caller, request, reply }) =>
        sendRefreshed(reply, deps, await rotate(deps, caller, refreshBehind(request))),
    }),
    route({
      id: 'signOut',
      method: 'POST',
      path: '/auth/logout',
      admits: ['anonymous', 'session', 'sso', 'restricted', 'outside'],
      summary: 'End the current session and clear its cookies',
      description:
        'Ends the session of the access token or, if there is none, of the refresh cookie. Returns 204 even if there is no session.',
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['csrf_failed'],
      handler: async ({ deps, caller, request, reply }) => {
        const isOwnPage = isFromOurPages(request, deps.config);
        const refresh = isOwnPage ? refreshClaimsOf(request, deps) : undefined;
        // A Bearer token, even of an ended session, says which session is meant: the cookies may belong to another one.
        const isSame = isByCookie(request) || refresh === undefined || refresh.sid === sessionShown(request, deps);
        await logout(deps, caller, isSame ? refresh : undefined);
        if (isOwnPage && isSame) clearSessionCookies(reply, deps);
      },
    }),
    route({
      id: 'getSession',
      method: 'GET',
      path: '/auth/session',
      admits: ['session', 'sso', 'restricted', 'outside', 'machine'],
      summary: 'Get the current user, or service account, and its permissions',
      responses: { 200: CurrentSession },
      handler: ({ deps, principal, reply }) => {
        reply.type(JSON_TYPE);
        if (principal.kind === 'machine') return JSON.stringify(describeMachine(principal.machine));
        const { session } = principal;
        if (mayBeUnproven(session)) return describeUnproven(deps, session);
        return writtenOnce(session, () => describeSession(session));
      },
      fast: currentSession,
    }),
    route({
      id: 'switchOrganization',
      method: 'POST',
      path: '/auth/organization',
      admits: ['session', 'restricted', 'outside'],
      summary: 'Switch to another organization',
      description:
        'Opens a session in that organization with the same assurance level, and ends the current one. For the current organization, returns a new access token of the same session.',
      body: OrganizationSwitchRequest,
      responses: { 200: LoginSuccess },
      sends: ['Set-Cookie'],
      errors: ['forbidden', 'rate_limited'],
      handler: async ({ deps, caller, session, body, request, reply }) => {
        const { organization_id } = body;
        return organization_id === session.organization_id
          ? sendContinued(reply, request, deps, await renewAccess(deps, caller, session))
          : sendSignedIn(reply, deps, await switchOrganization(deps, caller, session, organization_id));
      },
    }),
    route({
      id: 'listSessions',
      method: 'GET',
      path: '/auth/sessions',
      admits: ['session'],
      summary: 'List your sessions',
      responses: { 200: SessionList },
      handler: ({ deps, session }) => listSessions(deps, session),
    }),
    route({
      id: 'endSession',
      method: 'DELETE',
      path: '/auth/sessions/:id',
      admits: ['session'],
      summary: 'End one of your sessions',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['not_found'],
      handler: async ({ deps, caller, session, params, request, reply }) => {
        const { id } = params;
        await revokeOne(deps, caller, session, id);
        if (id === session.session_id && areCookiesOf(id, request, deps)) clearSessionCookies(reply, deps);
      },
    }),
    route({
      id: 'endOtherSessions',
      method: 'DELETE',
      path: '/auth/sessions',
      admits: ['session'],
      summary: 'End all your other sessions',
      description: 'With `include_current=true`, also ends this session and revokes every trusted browser.',
      query: Type.Object({
        include_current: Type.Optional(
          Type.Enum(['true', 'false'], { description: 'Also end this session, and revoke every trusted browser.' }),
        ),
      }),
      responses: { 204: null },
      sends: ['Set-Cookie'],
      handler: async ({ deps, caller, session, query, request, reply }) => {
        const including = query.include_current === 'true';
        await revokeAll(deps, caller, session, including);
        if (including && areCookiesOf(session.session_id, request, deps)) {
          clearSessionCookies(reply, deps);
          clearCookies(reply, deps.config, ['service_trust']);
        }
      },
    }),
    route({
      id: 'listUserSessions',
      method: 'GET',
      path: '/admin/users/:id/sessions',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List the sessions of a user',
      params: Type.Object({ id: Uuid }),
      responses: { 200: SessionList },
      errors: ['not_found'],
      handler: ({ deps, session, params }) => listUserSessions(deps, params.id, session),
    }),
    route({
      id: 'endUserSession',
      method: 'DELETE',
      path: '/admin/users/:id/sessions/:session_id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'End one session of a user',
      description: 'Returns 403 for a user with a higher platform role than your own.',
      params: Type.Object({ id: Uuid, session_id: Uuid }),
      responses: { 204: null },
      errors: ['not_found'],
      handler: async ({ deps, caller, principal, params }) => {
        const which = { user_id: params.id, session_id: params.session_id };
        await revokeOfUser(deps, caller, principal, which);
      },
    }),
  ],
};
