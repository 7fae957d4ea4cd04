import { type ErrorCode, LIMITS } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import {
  FRESH_AUTH_WINDOW,
  requireFreshAuth,
  requireRecentAuth,
  requireSecondFactor,
} from '../domain/authorization/fresh-auth.ts';
import type { Deps } from '../domain/context.ts';
import {
  hasPermission,
  type OrganizationPermission,
  type PlatformRole,
  reaches,
} from '../domain/kernel/permissions.ts';
import { actorOf, type MachinePrincipal, type Principal } from '../domain/kernel/principal.ts';
import { relyingPartyOf } from '../domain/kernel/relying-party.ts';
import { notSignedIn, ServiceError, stepUpRequired, tooMany } from '../domain/kernel/service-error.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import { addressCounters } from '../domain/limits/address-counters.ts';
import { machineOf } from '../domain/machines/machine.ts';
import { findSecondFactors } from '../domain/mfa/queries.ts';
import { findCredentials } from '../domain/passwords/queries.ts';
import { after } from '../platform/clock.ts';
import type { Quota } from '../platform/config/kinds.ts';
import { callerOf, principalOf, rememberSession, sessionOf } from './caller.ts';
import type { Guard } from './route.ts';

/** A rate limit per client address, shared by all replicas, checked before everything else. */
export const limited = (kind: string, quota: (config: Deps['config']) => Quota): Guard => ({
  name: `limited ${kind}`,
  async check(request, deps, proxies) {
    const counters = addressCounters(deps.limiter, callerOf(request, proxies), kind, quota(deps.config));
    const verdict = await deps.limiter.hit(...counters);
    if (!verdict.allowed) throw tooMany(verdict.retryAfter);
  },
});

export const registrationOpen: Guard = {
  name: 'registration open',
  check(_request, deps) {
    if (deps.config.REGISTRATION === 'closed') throw forbidden('registration is closed; ask for an invitation');
  },
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
    if (orSelf && isSelf(request)) return;
    return requiringPermission(permission)(request, deps, proxies);
  },
  requires: (request) => (orSelf && isSelf(request) ? {} : { permissions: [permission] }),
});

function isSelf(request: FastifyRequest): boolean {
  const { user_id } = request.params as { user_id?: string };
  return user_id !== undefined && user_id.toLowerCase() === sessionOf(request)?.user_id;
}

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
  isPlatform: true,
  requires: () => ({ platform_role: role }),
  check: recheckingState(async ({ platform_role, user_id, aal }, { config, db }) => {
    if (!reaches(platform_role, role)) throw forbidden(`this requires the platform role ${role}`);
    if (config.PLATFORM_REQUIRE_MFA === 'on' && aal !== 'aal2') throw await missingFactor({ config, db }, user_id);
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
  requires: () => ({ fresh: true }),
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
  check: recheckingState(async ({ user_id, mfa_verified_at }, { clock, config, db }) => {
    const oldest = clock.now().getTime() - LIMITS.stepUpWindow * 1000;
    if (mfa_verified_at && mfa_verified_at.getTime() >= oldest) return;
    throw await missingFactor({ config, db }, user_id);
  }),
};

/** 401 `mfa_required`, with what this user can do about it. */
async function missingFactor({ config, db }: Pick<Deps, 'config' | 'db'>, user_id: string): Promise<ServiceError> {
  const factors = await findSecondFactors(db, user_id, relyingPartyOf(config));
  if (!factors) return notSignedIn();
  if (factors.mfa_enabled) return stepUpRequired('second_factor');
  return factors.has_passkey
    ? stepUpRequired('sign_in', 'sign in again with a passkey first')
    : stepUpRequired('enroll', 'first set up a second factor at /auth/mfa/setup, or add a passkey and sign in with it');
}
