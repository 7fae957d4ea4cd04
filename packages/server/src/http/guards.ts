import { type AccessTokenClaims, type ErrorCode, LIMITS, type Restriction } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import {
  FRESH_AUTH_WINDOW,
  requireFreshAuth,
  requireRecentAuth,
  requireSecondFactor,
} from '../domain/authorization/fresh-auth.ts';
import type { Deps } from '../domain/context.ts';
import type { Caller } from '../domain/kernel/caller.ts';
import {
  hasPermission,
  type OrganizationPermission,
  type PlatformRole,
  reaches,
} from '../domain/kernel/permissions.ts';
import { actorOf, type MachinePrincipal, type Principal, type PrincipalKind } from '../domain/kernel/principal.ts';
import { notSignedIn, ServiceError, stepUpRequired, tooMany } from '../domain/kernel/service-error.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import { addressCounters } from '../domain/limits/address-counters.ts';
import { isKeyLike } from '../domain/machines/key-format.ts';
import { machineOf } from '../domain/machines/machine.ts';
import { findSecondFactors } from '../domain/mfa/queries.ts';
import { findCredentials } from '../domain/passwords/queries.ts';
import { policyRefused } from '../domain/policy/refusal.ts';
import { after } from '../platform/clock.ts';
import type { Quota } from '../platform/config/kinds.ts';
import { isWithin } from '../platform/networks.ts';
import { callerOf, isOfOrganization, principalOf, rememberRefresh, rememberSession, sessionOf } from './caller.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { readCookie } from './cookies.ts';
import { isForShownUser, isFromOurPages, passesCsrf } from './csrf.ts';
import { admitKey, admitMachineToken } from './machine-guard.ts';
import { refreshClaimsOf } from './sign-in.ts';

/**
 * One condition of a route's access list, checked in the order of docs/reference/http.md#order-of-the-checks. `name` is
 * what the specification's Auth column says.
 */
export interface Guard {
  readonly name: string;
  readonly check: (request: FastifyRequest, deps: Deps, proxies: Proxies) => void | Promise<void>;
  /** The kinds of principal that pass. Undefined if the guard does not authenticate. */
  readonly admits?: readonly PrincipalKind[];
}

/** Admits every request, without reading its credentials. */
export const open: Guard = { name: 'none', check: () => {} };

/** A rate limit per client address, shared by all replicas; comes first in an access list. */
export const limited = (kind: string, quota: (config: Deps['config']) => Quota): Guard => ({
  name: `limited ${kind}`,
  async check(request, deps, proxies) {
    const counters = addressCounters(deps.limiter, callerOf(request, proxies), kind, quota(deps.config));
    const verdict = await deps.limiter.hit(...counters);
    if (!verdict.allowed) throw tooMany(verdict.retryAfter);
  },
});

/** What a guard admits in addition to sessions that the policy of their organization does not limit. */
interface Tolerance {
  /** Restricted sessions pass (docs/reference/policy-and-sso.md#restricted-sessions). */
  readonly restricted?: boolean;
  /** The client may be outside the allowed networks of the organization. */
  readonly anyNetwork?: boolean;
  /**
   * How a session of single sign-on is treated: admitted, or as no session. If unset, it is admitted only below
   * `/orgs/:org_id` (docs/reference/policy-and-sso.md#single-sign-on).
   */
  readonly sso?: boolean | 'absent';
  /** Machines pass: an API key, or an access token issued for one, as a Bearer token. If unset, they get 403. */
  readonly machine?: boolean;
}

const sessionGuard = (tolerance: Tolerance): Guard => ({
  name: 'cookie/Bearer',
  admits: tolerance.machine ? ['user', 'machine'] : ['user'],
  check(request, deps, proxies) {
    const waiting = authenticate(request, deps, proxies, tolerance);
    if (tolerance.machine) return waiting;
    return waiting ? waiting.then(() => requireUser(request)) : requireUser(request);
  },
});

/** Requires an active session: by Bearer token, which takes precedence, or by cookie, which needs CSRF for writes. */
export const signedIn: Guard = sessionGuard({});

export const signedInOrMachine: Guard = sessionGuard({ machine: true });

export const signedInOrSso: Guard = sessionGuard({ sso: true });

export const signedInAsAny: Guard = sessionGuard({ machine: true, sso: true });

export const signedInRestrictedOrSso: Guard = sessionGuard({ restricted: true, sso: true });

/** Like `signedIn`, also for restricted sessions: for endpoints that lead to a second factor. */
export const signedInRestricted: Guard = sessionGuard({ restricted: true });

/** Like `signedInRestricted`, from every network: a user outside the allowed ones can still leave the organization. */
export const signedInAnywhere: Guard = sessionGuard({ restricted: true, anyNetwork: true });

/** Admits every session, whatever the policy of its organization says, and machines. */
export const anyPrincipal: Guard = sessionGuard({ restricted: true, anyNetwork: true, machine: true, sso: true });

function requireUser(request: FastifyRequest): void {
  if (principalOf(request)?.kind !== 'user')
    throw forbidden('this endpoint does not accept API keys; sign in as a user');
}

/** Takes the credentials of machines from the Authorization header only, never from cookies. */
function authenticate(
  request: FastifyRequest,
  deps: Deps,
  proxies: Proxies,
  tolerance: Tolerance,
): void | Promise<void> {
  const token = bearerToken(request.headers.authorization ?? '');
  if (token !== undefined && isKeyLike(token)) return admitKey(request, deps, proxies, token);
  const claims = token === undefined ? undefined : deps.accessTokens.verify(token);
  if (claims?.auth_method === 'api_key') return admitMachineToken(request, deps, proxies, claims);
  return requireSession(request, deps, () => clientAddress(request, proxies), tolerance, claims);
}

/** `verified`: the claims of the Bearer token, if it was verified before. */
function requireSession(
  request: FastifyRequest,
  deps: Deps,
  ip_address: () => string | null,
  tolerance: Tolerance,
  verified?: AccessTokenClaims,
): void | Promise<void> {
  const bearer = bearerHeader(request.headers.authorization);
  const token = bearer === undefined ? readCookie(request.headers.cookie, 'service_at') : bearerToken(bearer);
  const claims = verified ?? (token === undefined ? undefined : deps.accessTokens.verify(token));
  if (!claims || claims.auth_method === 'api_key') throw notSignedIn();
  const limits = (state: SessionState): ServiceError | undefined => {
    const networks = tolerance.anyNetwork ? null : state.allowed_networks;
    if (networks !== null && !isWithin(networks, ip_address())) return policyRefused('allowed_networks');
    if (state.connection_id !== null && !tolerance.sso && !isOfOrganization(request)) return ssoRefused();
    return state.restricted === null || tolerance.restricted ? undefined : secondFactorFirst(state.restricted);
  };
  const accept = (state: SessionState | undefined): void | Promise<void> => {
    // A token with another organization than its session's belongs to another membership.
    if (!state || state.user_id !== claims.sub || state.organization_id !== claims.org) throw notSignedIn();
    if (state.connection_id !== null && tolerance.sso === 'absent') throw notSignedIn();
    // Done before the CSRF check, so that the log names the account.
    rememberSession(request, state);
    if (bearer === undefined && !passesCsrf(request, deps.keyring, state.session_id)) {
      throw new ServiceError('csrf_failed', 'X-Service-CSRF: must equal the service_csrf cookie of this session');
    }
    if (bearer === undefined && !isForShownUser(request, state.user_id)) {
      throw new ServiceError('csrf_failed', 'X-Service-User: another user is signed in now');
    }
    // The cached state may be outdated: another replica may have lifted the restriction.
    return limits(state) && deps.sessions.reload(state.session_id).then(recheck);
  };
  const recheck = (state: SessionState | undefined): void => {
    if (!state) throw notSignedIn();
    rememberSession(request, state);
    const refusal = limits(state);
    if (refusal) throw refusal;
  };
  const state = deps.sessions.find(claims.sid);
  return state instanceof Promise ? state.then(accept) : accept(state);
}

const SECOND_FACTOR_FIRST: Readonly<Record<Restriction, string>> = {
  mfa_enrollment: 'your organization requires a second factor; set one up at /auth/mfa/setup first',
  mfa_verification: 'your organization requires your second factor; verify it at /auth/mfa/verify first',
};

const ssoRefused = () =>
  forbidden('a single sign-on session gives access to its organization only, not to your account');

const secondFactorFirst = (restriction: Restriction) => forbidden(SECOND_FACTOR_FIRST[restriction]);

/** A missing, invalid or revoked credential is allowed, and one of a machine counts as missing. */
const optionally = (tolerance: Tolerance): Guard => ({
  name: 'optional',
  admits: ['user'],
  async check(request, deps, proxies) {
    try {
      await requireSession(request, deps, () => clientAddress(request, proxies), tolerance);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'authentication_required')) throw error;
    }
  },
});

/** A missing, invalid or revoked credential is allowed; single sign-on counts as missing. A cookie needs CSRF. */
export const optionalSession: Guard = optionally({ sso: 'absent' });

/** Like `optionalSession`, for every session, whatever the policy of its organization says. */
export const optionalAnywhere: Guard = optionally({ restricted: true, anyNetwork: true, sso: true });

/** Returns the session of a request to an open route; undefined without valid credentials. Cookies need CSRF. */
export async function carriedSession(
  request: FastifyRequest,
  deps: Deps,
  caller: Caller,
): Promise<SessionState | undefined> {
  try {
    await requireSession(request, deps, () => caller.ip_address, {});
    return session(request);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Requires a valid, unexpired refresh token in its cookie. Whether it was already used is not checked here. */
export const refreshCookie: Guard = {
  name: 'refresh cookie',
  check(request, deps) {
    if (!isFromOurPages(request, deps.config)) {
      throw new ServiceError('csrf_failed', 'Origin: this page is on another host, which CORS_ORIGINS does not list');
    }
    const claims = refreshClaimsOf(request, deps);
    if (!claims) throw notSignedIn();
    rememberRefresh(request, claims);
  },
};

export const registrationOpen: Guard = {
  name: 'registration open',
  check(_request, deps) {
    if (deps.config.REGISTRATION === 'closed') throw forbidden('registration is closed; ask for an invitation');
  },
};

export const isByCookie = (request: FastifyRequest): boolean =>
  bearerHeader(request.headers.authorization) === undefined;

/** The session id of the Bearer token, even if the session has ended. */
export function sessionShown({ headers }: FastifyRequest, { accessTokens }: Deps): string | undefined {
  const token = bearerToken(headers.authorization ?? '');
  return token === undefined ? undefined : accessTokens.sessionOf(token);
}

/** Other schemes, such as Basic of a proxy, are ignored. */
const bearerHeader = (header: string | undefined): string | undefined =>
  header !== undefined && /^bearer\b/i.test(header) ? header : undefined;

/** The Bearer token of the request, not verified. Cookies are not read. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined => bearerToken(headers.authorization ?? '');

/** The token after the scheme, not verified yet. */
const bearerToken = (header: string): string | undefined => {
  if (!/^bearer /i.test(header)) return undefined;
  return header.slice('Bearer '.length).trim() || undefined;
};

const session = (request: FastifyRequest): SessionState => {
  const state = sessionOf(request);
  if (!state) throw notSignedIn();
  return state;
};

const forbidden = (message: string) => new ServiceError('forbidden', message);

/** §4.10: the tier must include the entitlement; checked before the role. */
export const entitled = (entitlement: 'AuditExport'): Guard => ({
  name: `entitled ${entitlement}`,
  check(_request, deps) {
    if (deps.config.TIER !== 'premium') {
      throw new ServiceError('payment_required', `${entitlement} requires the premium tier`);
    }
  },
});

/** Reloads the state from the database before it rejects: the cached assurance or role may be outdated. */
const recheckingState =
  (check: (state: SessionState, deps: Deps) => void | Promise<void>): Guard['check'] =>
  async (request, deps) => {
    try {
      await check(session(request), deps);
    } catch (error) {
      if (!(error instanceof ServiceError && RECHECKED.has(error.code))) throw error;
      const state = await deps.sessions.reload(session(request).session_id);
      if (!state) throw notSignedIn();
      rememberSession(request, state);
      await check(state, deps);
    }
  };

const RECHECKED: ReadonlySet<ErrorCode> = new Set(['mfa_required', 'forbidden']);

export const verifiedEmail: Guard = {
  name: 'verified email',
  check: recheckingState(({ email_verified_at }) => {
    if (email_verified_at === null) throw forbidden('verify your email first');
  }),
};

/**
 * Requires a permission in the organization of the path, which must be the session's. With `orSelf`, the user in the
 * path needs no permission.
 */
export const permitted = (permission: OrganizationPermission, { orSelf = false } = {}): Guard => ({
  name: permission,
  check(request, deps, proxies) {
    const principal = principalOf(request);
    if (!principal) throw notSignedIn();
    requireOwnOrganization(request, principal);
    if (principal.kind === 'machine') return requireMachinePermission(deps, principal, permission);
    const { user_id } = request.params as { user_id?: string };
    if (orSelf && user_id?.toLowerCase() === principal.session.user_id) return;
    return requiringPermission(permission)(request, deps, proxies);
  },
});

const requiringPermission = (permission: OrganizationPermission): Guard['check'] =>
  recheckingState((state) => {
    if (!hasPermission(state, permission)) throw forbidden(`your role does not have the permission ${permission}`);
  });

/** Reads the key again before it rejects the request: the cached roles may be outdated. */
async function requireMachinePermission(
  deps: Deps,
  { machine: { state, scope, permissions } }: MachinePrincipal,
  permission: OrganizationPermission,
): Promise<void> {
  if (permissions.includes(permission)) return;
  const current = await deps.machines.reload(state.public_id);
  if (current && machineOf(current, scope).permissions.includes(permission)) return;
  throw forbidden(`this API key does not have the permission ${permission}`);
}

/** Does not reveal whether another organization exists. */
function requireOwnOrganization(request: FastifyRequest, principal: Principal): void {
  const { org_id } = request.params as { org_id?: string };
  if (org_id?.toLowerCase() === actorOf(principal).organization_id) return;
  throw forbidden('this is not the organization of your session');
}

/** §5.8: a platform role of this level or above; with PLATFORM_REQUIRE_MFA, in an `aal2` session. */
export const platform = (role: PlatformRole): Guard => ({
  name: `platform ${role}`,
  check: recheckingState(async ({ platform_role, user_id, aal }, { config, db }) => {
    if (!reaches(platform_role, role)) throw forbidden(`this requires the platform role ${role}`);
    if (config.PLATFORM_REQUIRE_MFA === 'on' && aal !== 'aal2') throw await missingFactor(db, user_id);
  }),
});

/** §4.1 GET /users/:id: the user in the path, or any platform role. Others cannot tell whether a user exists. */
export const platformOrSelf: Guard = {
  name: 'platform viewer or self',
  check(request, deps, proxies) {
    const { id } = request.params as { id?: string };
    if (id?.toLowerCase() !== session(request).user_id) return platform('viewer').check(request, deps, proxies);
  },
};

/**
 * docs/reference/mfa.md#fresh-proof: checked before the body is validated, so that users do not use their
 * authenticator for a request that fails; use cases check it again in their transaction.
 */
export const freshAuth: Guard = {
  name: 'fresh proof',
  check: recheckingState(async (state, deps) => requireFreshAuth(deps, state, await ownerOf(state, deps))),
};

/**
 * docs/reference/accounts.md#reclaim-and-disown: an emailed code within 15 minutes, so the user can read the mailbox
 * now.
 */
export const recentEmailCode: Guard = {
  name: 'emailed code within 15 minutes',
  check(request, { clock }) {
    const { first_factor, auth_time } = session(request);
    if (first_factor === 'email_otp' && auth_time >= after(clock.now(), -FRESH_AUTH_WINDOW)) return;
    throw forbidden('sign in with a new emailed code first');
  },
};

/**
 * For endpoints that require the password: with MFA on, requires an `aal2` session. A user without a password needs a
 * sign-in or a second factor in the last `within` seconds instead of the password.
 */
export const secondFactorGiven = (within: number = LIMITS.stepUpWindow): Guard => ({
  name: 'second factor given',
  check: recheckingState(async (state, deps) => {
    const owner = await ownerOf(state, deps);
    requireSecondFactor(state, owner);
    if (!owner.has_password) requireRecentAuth(deps, state, owner, within);
  }),
});

async function ownerOf({ user_id }: SessionState, { db }: Deps) {
  const user = await findCredentials(db, user_id);
  if (!user) throw notSignedIn();
  return { mfa_enabled: user.mfa_enabled_at !== null, has_password: user.password_hash !== null };
}

/** §5.7: an MFA verification in the last 5 minutes. A sign-in by passkey counts as one, a password alone does not. */
export const steppedUp: Guard = {
  name: 'MFA step-up',
  check: recheckingState(async ({ user_id, mfa_verified_at }, { clock, db }) => {
    const oldest = clock.now().getTime() - LIMITS.stepUpWindow * 1000;
    if (mfa_verified_at && mfa_verified_at.getTime() >= oldest) return;
    throw await missingFactor(db, user_id);
  }),
};

/** 401 `mfa_required`, with what this user can do about it. */
async function missingFactor(db: Deps['db'], user_id: string): Promise<ServiceError> {
  const factors = await findSecondFactors(db, user_id);
  if (!factors) return notSignedIn();
  if (factors.mfa_enabled) return stepUpRequired('second_factor');
  return factors.has_passkey
    ? stepUpRequired('sign_in', 'sign in again with a passkey first')
    : stepUpRequired('enroll', 'first set up a second factor at /auth/mfa/setup, or add a passkey and sign in with it');
}
