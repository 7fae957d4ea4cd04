import {
  OAuthCallbackQuery,
  SsoDiscoverRequest,
  SsoDiscovery,
  SsoResult,
  SsoStartQuery,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { browserOf, flowBrowser, rememberBrowser, wantsJson } from '../../http/flow-browser.ts';
import { freshAuth, permitted } from '../../http/guards.ts';
import { newAccountLocale } from '../../http/language.ts';
import { safeRedirect } from '../../http/redirect.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendEnded } from '../../http/send-ended.ts';
import { callback } from './callback.ts';
import { discover } from './discover.ts';
import { start } from './start.ts';
import { unlink } from './unlink.ts';

const Connection = Type.Object({ connection_id: Uuid });
const { code, state, error, iss } = OAuthCallbackQuery.properties;

export const sso: Feature = {
  name: 'Single sign-on',
  routes: [
    route({
      id: 'discoverSso',
      method: 'POST',
      path: '/auth/sso/discover',
      admits: ['anyone'],
      summary: 'Find the single sign-on connection for an email address',
      description:
        'Depends only on the domain of the address: the response does not reveal whether the address has an account.',
      body: SsoDiscoverRequest,
      responses: { 200: SsoDiscovery },
      handler: ({ deps, body }) => discover(deps, body),
    }),
    route({
      id: 'startSsoSignIn',
      method: 'GET',
      path: '/auth/sso/:connection_id/start',
      admits: ['anyone'],
      summary: 'Sign in by single sign-on',
      description:
        'For browsers: redirects to the provider, which redirects to the callback. Returns 404 if the connection is unknown or not active.',
      params: Connection,
      query: SsoStartQuery,
      responses: { 302: null },
      sends: ['Set-Cookie'],
      errors: ['not_found', 'authentication_required'],
      handler: async ({ deps, params, query, request, reply }) => {
        const redirect_to = safeRedirect(deps.config, query.redirect_to);
        const browser = browserOf(request, deps);
        const url = await start(deps, {
          connection_id: params.connection_id,
          redirect_to,
          login_hint: query.login_hint,
          locale: newAccountLocale(request, query.locale),
          browser,
        });
        if (typeof url !== 'string') return sendEnded(request, reply, deps, { redirect_to, result: url });
        rememberBrowser(reply, deps, browser);
        return reply.redirect(url, 302);
      },
    }),
    route({
      id: 'completeSsoSignIn',
      method: 'GET',
      path: '/auth/sso/:connection_id/callback',
      admits: ['anyone'],
      summary: 'Callback of single sign-on',
      description:
        'Redirects to `redirect_to`, to the MFA page with an `mfa_token` in the fragment, or to the sign-in page with `?error=`. ' +
        'With `Accept: application/json`, returns the result as JSON. A state can be used once. The test of a connection ends here too.',
      params: Connection,
      query: Type.Object({ code, state, error, iss }),
      responses: { 200: SsoResult, 302: null },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'conflict', 'forbidden', 'not_found', 'rate_limited'],
      handler: async ({ deps, caller, params, query, request, reply }) => {
        const ended = await callback(deps, caller, {
          connection_id: params.connection_id,
          state: query.state,
          response: query,
          browser: flowBrowser(request, deps),
        });
        if (!('tested' in ended)) return sendEnded(request, reply, deps, ended);
        return wantsJson(request) ? ended.tested : reply.redirect(ended.redirect_to, 302);
      },
    }),
    route({
      id: 'unlinkMemberFromSso',
      method: 'DELETE',
      path: '/orgs/:org_id/members/:user_id/sso-identity',
      admits: ['session', 'sso'],
      access: [permitted('sso.manage'), freshAuth],
      summary: 'Unlink a member from single sign-on',
      description:
        'Ends the single sign-on sessions of the member. The next single sign-on links the account to the subject of that sign-in.',
      params: Type.Object({ org_id: Uuid, user_id: Uuid }),
      responses: { 204: null },
      errors: ['not_found'],
      handler: async ({ deps, caller, session, params }) => {
        await unlink(deps, caller, session, params.user_id);
      },
    }),
  ],
};
