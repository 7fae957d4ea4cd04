import {
  BearerError,
  Interaction,
  InteractionDecision,
  InteractionResult,
  Introspection,
  Jwks,
  ProviderMetadata,
  TokenError,
  TokenParameter,
  UserinfoResponse,
  Uuid,
} from '@gatehouse/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../domain/context.ts';
import { deleteExpiredInteractions } from '../../domain/interactions/queries.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { invalidClient } from '../../domain/kernel/token-failure.ts';
import { bearerOf, isByCookie } from '../../http/bearer.ts';
import { interactionCookie, readCookie, setCookies } from '../../http/cookies.ts';
import { keepCsrfToken } from '../../http/csrf.ts';
import { sendRendered } from '../../http/etag.ts';
import { limited } from '../../http/guards.ts';
import { type Feature, type Route, route } from '../../http/route.ts';
import { refreshClaimsOf } from '../../http/sign-in.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import { authorize, RESUMED } from './authorize.ts';
import { decideInteraction, readInteraction } from './interactions.ts';
import { providerMetadata } from './metadata.ts';
import { readClient } from './read-client.ts';
import { resumeSession } from './resume.ts';
import { introspect, revokeToken } from './tokens.ts';
import { userinfo } from './userinfo.ts';

const One = Type.Object({ id: Uuid });
const RESPONSES = { 400: TokenError, 401: TokenError, 429: TokenError, 500: TokenError };

/** HEAD must not change anything. */
const isHead = ({ method }: FastifyRequest): boolean => method === 'HEAD';

const queryOf = ({ raw }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(/\?(.*)$/s.exec(raw.url ?? '')?.[1] ?? '');

/**
 * The session of the access cookie. No CSRF check: the request changes nothing that the user sees, and the response
 * goes only to a redirect URI of the application. `evaluate` applies the policy: a restricted session cannot authorize.
 */
async function cookieSession(request: FastifyRequest, deps: Deps): Promise<SessionState | undefined> {
  const token = readCookie(request.headers.cookie, 'service_at');
  const claims = token === undefined ? undefined : deps.accessTokens.verify(token);
  const state = claims && (await deps.sessions.find(claims.sid));
  return state?.user_id === claims?.sub && state?.organization_id === claims?.org ? state : undefined;
}

/** Keeps an existing cookie value, because another tab may have an interaction in progress. */
const browserOf = (request: FastifyRequest, { config }: Deps): string | undefined => {
  const known = readCookie(request.headers.cookie, interactionCookie(config));
  return known !== undefined && /^[\w-]{43}$/.test(known) ? known : undefined;
};

async function sendAuthorized(
  { deps, caller, request, reply }: { deps: Deps; caller: Caller; request: FastifyRequest; reply: FastifyReply },
  params: URLSearchParams,
): Promise<FastifyReply> {
  const browser = browserOf(request, deps) ?? randomToken();
  const session = await cookieSession(request, deps);
  const url = await authorize(deps, caller, { params, session, browser, isProbe: isHead(request) });
  setCookies(reply, deps.config, { [interactionCookie(deps.config)]: browser });
  return reply.header('referrer-policy', 'no-referrer').redirect(url, 302);
}

const AUTHORIZE = {
  path: '/oauth/authorize',
  atBase: true,
  limit: limited('authorize', (config) => config.LIMIT_AUTHORIZE_PER_ADDRESS),
  admits: ['anyone'],
  responses: { 302: null },
  errorFormat: 'page',
  produces: 'text/html',
} as const;

const metadataAt = (id: string, path: string, inOAuth: boolean): Route =>
  route({
    id,
    method: 'GET',
    path,
    atBase: true,
    admits: ['anyone'],
    summary: 'Metadata of the provider for applications',
    responses: { 200: ProviderMetadata, 304: null, ...(inOAuth && { 429: TokenError, 500: TokenError }) },
    ...(inOAuth && { errorFormat: 'oauth' }),
    handler: ({ deps: { config }, request, reply }) =>
      sendRendered({ request, reply }, METADATA_OF.get(config) ?? remember(config), () => providerMetadata(config)),
  });

/** One object per configuration, by which the rendered document is cached. */
const METADATA_OF = new WeakMap<object, object>();
function remember(config: object): object {
  const key = {};
  METADATA_OF.set(config, key);
  return key;
}

const userinfoRoute = (id: string, method: 'GET' | 'POST'): Route =>
  route({
    id,
    method,
    path: '/oauth/userinfo',
    atBase: true,
    admits: ['anyone'],
    summary: 'Claims about the user of an access token of an application',
    description: 'The token must have been issued without `resource`, and with the scope `openid`.',
    responses: { 200: UserinfoResponse, 401: BearerError, 403: BearerError, 429: TokenError, 500: TokenError },
    errorFormat: 'oauth',
    handler: async ({ deps, request, reply }) => {
      const result = await userinfo(deps, bearerOf(request));
      if ('claims' in result) return result.claims;
      const { error, description } = result;
      const challenge =
        bearerOf(request) === undefined ? 'Bearer' : `Bearer error="${error}", error_description="${description}"`;
      return reply
        .code(error === 'invalid_token' ? 401 : 403)
        .header('www-authenticate', challenge)
        .send({ error, error_description: description });
    },
  });

type Form = ReadonlyMap<string, string>;

function clientOf({ headers }: FastifyRequest, form: Form) {
  const client = readClient(headers.authorization, form);
  if (!client) throw invalidClient();
  return { client, token: form.get('token') };
}

export const provider: Feature = {
  name: 'Provider for applications',
  sweeps: [{ name: 'interactions', sweep: deleteExpiredInteractions }],
  routes: [
    metadataAt('getProviderMetadata', '/oauth/.well-known/openid-configuration', true),
    metadataAt('getAuthorizationServerMetadata', '/.well-known/oauth-authorization-server/oauth', false),
    route({
      id: 'getApplicationJwks',
      method: 'GET',
      path: '/oauth/jwks.json',
      atBase: true,
      admits: ['anyone'],
      summary: 'Public keys that verify the tokens of applications',
      responses: { 200: Jwks, 304: null, 429: TokenError, 500: TokenError },
      errorFormat: 'oauth',
      handler: ({ deps, request, reply }) => {
        const jwks = deps.applicationKeys.jwks();
        return sendRendered({ request, reply }, jwks, () => jwks);
      },
    }),
    route({
      ...AUTHORIZE,
      method: 'GET',
      summary: 'Authorization endpoint',
      description: 'For browsers: redirects to the application, or to a page on which the user decides.',
      handler: (exchange) => sendAuthorized(exchange, queryOf(exchange.request)),
    }),
    route({
      ...AUTHORIZE,
      method: 'POST',
      summary: 'Authorization endpoint, with the parameters in a form',
      body: Type.Object({}),
      bodyKind: 'pairs',
      handler: (exchange) =>
        sendAuthorized(exchange, (exchange.body as unknown as URLSearchParams | undefined) ?? new URLSearchParams()),
    }),
    route({
      method: 'GET',
      path: '/auth/oauth-interactions/resume',
      admits: ['anyone'],
      summary: 'Continue an authorization request with the session of the refresh cookie',
      description:
        'For browsers. Sets new access and CSRF cookies and redirects to the authorization endpoint, also if there is no session. Does not consume the refresh token.',
      responses: { 302: null },
      errorFormat: 'page',
      produces: 'text/html',
      handler: async ({ deps, caller, request, reply }) => {
        const refresh = isHead(request) ? undefined : refreshClaimsOf(request, deps);
        const resumed = refresh && (await resumeSession(deps, caller, refresh));
        if (resumed) {
          const { session_id, access_token } = resumed;
          const service_csrf = keepCsrfToken(request, deps.keyring, session_id);
          setCookies(reply, deps.config, { service_at: access_token, service_csrf });
        }
        const params = queryOf(request);
        params.set(RESUMED, '1');
        return reply.header('referrer-policy', 'no-referrer').redirect(`/oauth/authorize?${params}`, 302);
      },
    }),
    route({
      id: 'getInteraction',
      method: 'GET',
      path: '/auth/oauth-interactions/:id',
      admits: ['anonymous', 'session'],
      summary: 'Get what an authorization request needs from the user',
      description: 'Only in the browser in which the request began and, once the user is known, only for that user.',
      params: One,
      responses: { 200: Interaction },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, params, request }) => {
        const session = await cookieSession(request, deps);
        return readInteraction(deps, { id: params.id, browser: browserOf(request, deps), session });
      },
    }),
    route({
      id: 'decideInteraction',
      method: 'POST',
      path: '/auth/oauth-interactions/:id',
      admits: ['session', 'sso'],
      summary: 'Decide about an authorization request',
      description: 'Requires the session cookie. Navigate to `redirect_to`.',
      params: One,
      body: InteractionDecision,
      responses: { 200: InteractionResult },
      sends: ['Set-Cookie'],
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, session, params, body, request, reply }) => {
        const browser = isByCookie(request) ? browserOf(request, deps) : undefined;
        const visitor = { id: params.id, browser, session };
        const result = await decideInteraction(deps, caller, visitor, body);
        // The next step is valid for as long as a renewed cookie.
        if (browser !== undefined) setCookies(reply, deps.config, { [interactionCookie(deps.config)]: browser });
        return result;
      },
    }),
    userinfoRoute('getUserinfo', 'GET'),
    userinfoRoute('postUserinfo', 'POST'),
    route({
      id: 'introspectToken',
      method: 'POST',
      path: '/oauth/introspect',
      atBase: true,
      admits: ['anyone'],
      summary: "Inspect one of the application's tokens",
      body: TokenParameter,
      bodyKind: 'parameters',
      responses: { 200: Introspection, ...RESPONSES },
      errorFormat: 'oauth',
      handler: ({ deps, body, request }) => introspect(deps, clientOf(request, formOf(body))),
    }),
    route({
      id: 'revokeToken',
      method: 'POST',
      path: '/oauth/revoke',
      atBase: true,
      admits: ['anyone'],
      summary: 'Revoke the grant of a token',
      description:
        'An access or refresh token: either revokes the grant with all its tokens. Returns 200 for an unknown token too.',
      body: TokenParameter,
      bodyKind: 'parameters',
      responses: { 200: null, ...RESPONSES },
      errorFormat: 'oauth',
      handler: async ({ deps, caller, body, request, reply }) => {
        await revokeToken(deps, caller, clientOf(request, formOf(body)));
        return reply.send();
      },
    }),
  ],
};

/** The parser has read the parameters into a map; the schema is only documentation. */
const formOf = (body: unknown): Form => (body as Form | undefined) ?? new Map();
