import {
  IdentityList,
  OAUTH_PROVIDERS,
  OAuthCallbackQuery,
  OAuthFormPost,
  OAuthLinkRequest,
  OAuthLinkStart,
  OAuthResult,
  OAuthStartQuery,
  SignInOptions,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldIdentities, deleteOldStates } from '../../domain/upstream/queries.ts';
import { browserOf, flowBrowser, rememberBrowser } from '../../http/flow-browser.ts';
import { freshAuth } from '../../http/guards.ts';
import { newAccountLocale } from '../../http/language.ts';
import { safeRedirect } from '../../http/redirect.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendEnded } from '../../http/send-ended.ts';
import { refreshClaimsOf } from '../../http/sign-in.ts';
import { callback } from './callback.ts';
import { asQuery } from './form-post.ts';
import { identities, unlink } from './identities.ts';
import { signInOptions } from './options.ts';
import { start } from './start.ts';

const ProviderParam = Type.Object({ provider: Type.Enum([...OAUTH_PROVIDERS]) });

export const oauth: Feature = {
  name: 'Third-party sign-in',
  sweeps: [
    { name: 'identities', sweep: deleteOldIdentities },
    { name: 'oauth states', sweep: deleteOldStates },
  ],
  routes: [
    route({
      id: 'getSignInOptions',
      method: 'GET',
      path: '/auth/providers',
      admits: ['anyone'],
      summary: 'Get the available sign-in methods',
      responses: { 200: SignInOptions },
      handler: ({ deps }) => signInOptions(deps),
    }),
    route({
      id: 'startProviderSignIn',
      method: 'GET',
      path: '/auth/oauth/:provider/start',
      admits: ['anyone'],
      summary: 'Sign in with a third party',
      description:
        'For browsers: redirects to the provider, which redirects to the callback. Returns 404 if the provider is not available.',
      params: ProviderParam,
      query: OAuthStartQuery,
      responses: { 302: null },
      sends: ['Set-Cookie'],
      handler: async ({ deps, params: { provider }, query, request, reply }) => {
        const { organization_id } = query;
        const redirect_to = safeRedirect(deps.config, query.redirect_to);
        const browser = browserOf(request, deps);
        const locale = newAccountLocale(request, query.locale);
        const url = await start(deps, { provider, redirect_to, organization_id, locale }, browser);
        rememberBrowser(reply, deps, browser);
        return reply.redirect(url, 302);
      },
    }),
    route({
      id: 'completeProviderSignIn',
      method: 'GET',
      path: '/auth/oauth/:provider/callback',
      admits: ['anyone'],
      summary: 'Callback of a third-party sign-in',
      description:
        'Redirects to `redirect_to`, to the MFA page with an `mfa_token` in the fragment, or to the sign-in page with `?error=`. ' +
        'With `Accept: application/json`, returns the result as JSON. A state can be used once.',
      params: ProviderParam,
      query: OAuthCallbackQuery,
      responses: { 200: OAuthResult, 302: null },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'conflict', 'forbidden', 'rate_limited'],
      handler: async ({ deps, caller, params: { provider }, query, request, reply }) => {
        const ended = await callback(deps, caller, {
          provider,
          query,
          browser: flowBrowser(request, deps),
          user_id: refreshClaimsOf(request, deps)?.sub,
        });
        return sendEnded(request, reply, deps, ended);
      },
    }),
    route({
      id: 'completeProviderSignInByForm',
      method: 'POST',
      path: '/auth/oauth/:provider/callback',
      admits: ['anyone'],
      summary: 'Callback for providers that post a form',
      description: 'Redirects to the same URL with the form fields as its query.',
      params: ProviderParam,
      body: OAuthFormPost,
      bodyKind: 'form',
      responses: { 303: null },
      handler: ({ deps, params: { provider }, body, reply }) =>
        reply.redirect(asQuery(deps.config, provider, (body ?? new Map()) as Map<string, string>), 303),
    }),
    route({
      id: 'linkIdentity',
      method: 'POST',
      path: '/auth/oauth/:provider/link',
      admits: ['session'],
      access: [freshAuth],
      summary: 'Start linking an identity',
      description:
        'Redirect the browser to `authorization_url`. The callback links the identity to this account. It must be the same browser: ' +
        'the response sets a cookie that the callback requires.',
      params: ProviderParam,
      body: OAuthLinkRequest,
      responses: { 200: OAuthLinkStart },
      sends: ['Set-Cookie'],
      handler: async ({ deps, session, params: { provider }, body, request, reply }) => {
        const { user_id, session_id, email_verified_at } = session;
        const redirect_to = safeRedirect(deps.config, body.redirect_to);
        const browser = browserOf(request, deps);
        const flow = {
          provider,
          redirect_to,
          linking: { user_id, session_id, isUnproven: email_verified_at === null },
        };
        const authorization_url = await start(deps, flow, browser);
        rememberBrowser(reply, deps, browser);
        return { authorization_url };
      },
    }),
    route({
      id: 'listIdentities',
      method: 'GET',
      path: '/users/me/identities',
      admits: ['session'],
      summary: 'List your linked identities',
      responses: { 200: IdentityList },
      handler: ({ deps, session }) => identities(deps, session),
    }),
    route({
      id: 'unlinkIdentity',
      method: 'DELETE',
      path: '/users/me/identities/:id',
      admits: ['session'],
      summary: 'Unlink an identity',
      description: 'The last identity cannot be unlinked if you have neither a password nor a passkey.',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      errors: ['conflict'],
      handler: async ({ deps, caller, session, params }) => {
        await unlink(deps, caller, session, params.id);
      },
    }),
  ],
};
