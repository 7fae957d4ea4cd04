import type { AccessTokenClaims, Restriction } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import type { Caller } from '../domain/kernel/caller.ts';
import type { Admits, CallerKind, CallerKinds, Principal } from '../domain/kernel/principal.ts';
import { notSignedIn, ServiceError } from '../domain/kernel/service-error.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import { isKeyLike } from '../domain/machines/key-format.ts';
import { policyRefused } from '../domain/policy/refusal.ts';
import { isWithin } from '../platform/networks.ts';
import { bearerOf, isByCookie } from './bearer.ts';
import { rememberRefresh, rememberSession, sessionOf } from './caller.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { readCookie } from './cookies.ts';
import { isForShownUser, isFromOurPages, passesCsrf } from './csrf.ts';
import { admitKey, admitMachineToken } from './machine-guard.ts';
import type { Guard, Route } from './route.ts';
import { refreshClaimsOf } from './sign-in.ts';

type KindsOf<P extends Principal['kind']> = {
  [K in CallerKind]: CallerKinds[K] extends { readonly kind: P } ? K : never;
}[CallerKind];

const forbidden = (message: string) => new ServiceError('forbidden', message);

interface SessionKind {
  readonly includes: (session: SessionState, address: () => string | null) => boolean;
  readonly refusal: (session: SessionState) => ServiceError;
  /** Where a session is optional, a session of this kind counts as missing unless the route admits the kind. */
  readonly isElseMissing?: true;
}

const SECOND_FACTOR_FIRST: Readonly<Record<Restriction, string>> = {
  mfa_enrollment: 'your organization requires a second factor; set one up at /auth/mfa/setup first',
  mfa_verification: 'your organization requires your second factor; verify it at /auth/mfa/verify first',
};

/** A session may be of several kinds: a route must admit all of them. The order is that of the errors. */
const SESSION_KINDS: Readonly<Record<KindsOf<'user'>, SessionKind>> = {
  outside: {
    includes: ({ allowed_networks }, address) => allowed_networks !== null && !isWithin(allowed_networks, address()),
    refusal: () => policyRefused('allowed_networks'),
  },
  sso: {
    includes: ({ reach }) => reach === 'organization',
    refusal: () => forbidden('a single sign-on session gives access to its organization only, not to your account'),
    isElseMissing: true,
  },
  restricted: {
    includes: ({ restricted }) => restricted !== null,
    refusal: ({ restricted }) => forbidden(SECOND_FACTOR_FIRST[restricted!]),
  },
  session: {
    includes: ({ reach }) => reach === 'account',
    refusal: () => forbidden('this endpoint does not accept sessions of users'),
  },
};

interface BearerKind {
  readonly recognizes: (token: string, claims: AccessTokenClaims | undefined) => boolean;
  /** Authenticates the caller, also where the route then rejects it. */
  readonly admit: (
    request: FastifyRequest,
    deps: Deps,
    proxies: Proxies,
    token: string,
    claims: AccessTokenClaims | undefined,
  ) => void | Promise<void>;
  readonly refusal: () => ServiceError;
}

/** Credentials that are accepted in the Authorization header only, never as cookies. */
const BEARER_KINDS: Readonly<Record<Exclude<KindsOf<Principal['kind']>, KindsOf<'user'>>, BearerKind>> = {
  machine: {
    recognizes: (token, claims) => isKeyLike(token) || claims?.auth_method === 'api_key',
    admit: (request, deps, proxies, token, claims) =>
      claims ? admitMachineToken(request, deps, proxies, claims) : admitKey(request, deps, proxies, token),
    refusal: () => forbidden('this endpoint does not accept API keys; sign in as a user'),
  },
};

const kindsOf = <K extends CallerKind, V>(table: Readonly<Record<K, V>>): readonly [K, V][] =>
  Object.entries(table) as [K, V][];

const BEARERS = kindsOf(BEARER_KINDS);

/** The guards of a route, in the order of the checks. */
export const guardsOf = ({ limit, admits, access = [] }: Pick<Route, 'limit' | 'admits' | 'access'>): Guard[] => [
  ...(limit ? [limit] : []),
  admission(admits),
  ...access,
];

/** The guard that authenticates the caller of a route and rejects every kind that the route does not admit. */
function admission(admits: Admits): Guard {
  const kinds: ReadonlySet<CallerKind> = new Set(admits);
  if (kinds.has('anyone')) return { name: 'none', check: () => {} };
  if (kinds.has('refresh')) return { name: 'refresh cookie', check: requireRefreshCookie };
  if (!kinds.has('anonymous')) return { name: 'cookie/Bearer', check: authenticating(kinds) };
  const check = authenticating(kinds);
  return {
    name: 'optional',
    async check(...args) {
      try {
        await check(...args);
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'authentication_required')) throw error;
      }
    },
  };
}

/** Requires one of these kinds, by Bearer token, which takes precedence, or by cookie, which needs CSRF for writes. */
function authenticating(kinds: ReadonlySet<CallerKind>): Guard['check'] {
  const requireSession = requiringSession(kinds);
  return (request, deps, proxies) => {
    const token = bearerOf(request);
    const claims = token === undefined ? undefined : deps.accessTokens.verify(token);
    for (const [kind, { recognizes, admit, refusal }] of BEARERS) {
      if (token === undefined || !recognizes(token, claims)) continue;
      if (!kinds.has(kind) && kinds.has('anonymous')) throw notSignedIn();
      const waiting = admit(request, deps, proxies, token, claims);
      if (kinds.has(kind)) return waiting;
      if (!waiting) throw refusal();
      return waiting.then(() => {
        throw refusal();
      });
    }
    return requireSession(request, deps, () => clientAddress(request, proxies), claims);
  };
}

type RequireSession = (
  request: FastifyRequest,
  deps: Deps,
  address: () => string | null,
  /** Of the Bearer token, if it is valid. */
  claims: AccessTokenClaims | undefined,
) => void | Promise<void>;

function requiringSession(kinds: ReadonlySet<CallerKind>): RequireSession {
  const rejected = kindsOf(SESSION_KINDS).flatMap(([kind, rule]) => (kinds.has(kind) ? [] : [rule]));
  const missing = kinds.has('anonymous') ? rejected.filter(({ isElseMissing }) => isElseMissing) : [];
  return (request, deps, address, verified) => {
    const isCookie = isByCookie(request);
    const claims = isCookie ? cookieClaims(request, deps) : verified;
    if (!claims || claims.auth_method === 'api_key') throw notSignedIn();
    const refusalOf = (state: SessionState): ServiceError | undefined =>
      rejected.find(({ includes }) => includes(state, address))?.refusal(state);
    const accept = (state: SessionState | undefined): void | Promise<void> => {
      // A token with another organization than its session's belongs to another membership.
      if (!state || state.user_id !== claims.sub || state.organization_id !== claims.org) throw notSignedIn();
      if (missing.some(({ includes }) => includes(state, address))) throw notSignedIn();
      // Done before the CSRF check, so that the log names the account.
      rememberSession(request, state);
      if (isCookie && !passesCsrf(request, deps.keyring, state.session_id)) {
        throw new ServiceError('csrf_failed', 'X-Service-CSRF: must equal the service_csrf cookie of this session');
      }
      if (isCookie && !isForShownUser(request, state.user_id)) {
        throw new ServiceError('csrf_failed', 'X-Service-User: another user is signed in now');
      }
      // The cached state may be outdated: another replica may have lifted the restriction.
      return refusalOf(state) && deps.sessions.reload(state.session_id).then(recheck);
    };
    const recheck = (state: SessionState | undefined): void => {
      if (!state) throw notSignedIn();
      rememberSession(request, state);
      const refusal = refusalOf(state);
      if (refusal) throw refusal;
    };
    const state = deps.sessions.find(claims.sid);
    return state instanceof Promise ? state.then(accept) : accept(state);
  };
}

function cookieClaims({ headers }: FastifyRequest, { accessTokens }: Deps): AccessTokenClaims | undefined {
  const token = readCookie(headers.cookie, 'service_at');
  return token === undefined ? undefined : accessTokens.verify(token);
}

const requireUnlimitedSession = requiringSession(new Set(['session']));

/** Returns the session of a request to an open route; undefined without valid credentials. Cookies need CSRF. */
export async function carriedSession(
  request: FastifyRequest,
  deps: Deps,
  caller: Caller,
): Promise<SessionState | undefined> {
  const token = bearerOf(request);
  try {
    const claims = token === undefined ? undefined : deps.accessTokens.verify(token);
    await requireUnlimitedSession(request, deps, () => caller.ip_address, claims);
    return sessionOf(request);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function requireRefreshCookie(request: FastifyRequest, deps: Deps): void {
  if (!isFromOurPages(request, deps.config)) {
    throw new ServiceError('csrf_failed', 'Origin: this page is on another host, which CORS_ORIGINS does not list');
  }
  const claims = refreshClaimsOf(request, deps);
  if (!claims) throw notSignedIn();
  rememberRefresh(request, claims);
}
