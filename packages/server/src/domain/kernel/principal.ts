import type { Machine } from './machine.ts';
import { notSignedIn } from './service-error.ts';
import type { SessionState } from './session-state.ts';

/** The authenticated party of a request. */
export type Principal = UserPrincipal | MachinePrincipal;

interface UserPrincipal {
  readonly kind: 'user';
  readonly session: SessionState;
}

export interface MachinePrincipal {
  readonly kind: 'machine';
  readonly machine: Machine;
}

/**
 * The kinds of caller that a route can admit, and the principal of each. A new kind is a line here, which the compiler
 * then requires in `http/admission.ts`, and its name in `admits` of the routes that it may use.
 */
export interface CallerKinds {
  /** Every request; its credentials are not read. */
  readonly anyone: undefined;
  /** A request without a valid credential. */
  readonly anonymous: undefined;
  /** A request with a valid refresh token in its cookie. Whether it was already used is not checked by the guard. */
  readonly refresh: undefined;
  readonly session: UserPrincipal;
  /** A session of single sign-on (docs/reference/policy-and-sso.md#single-sign-on). */
  readonly sso: UserPrincipal;
  /** A session that still needs a second factor (docs/reference/policy-and-sso.md#restricted-sessions). */
  readonly restricted: UserPrincipal;
  /** A session used from outside the allowed networks of its organization. */
  readonly outside: UserPrincipal;
  /** An API key, or an access token issued for one, as a Bearer token. */
  readonly machine: MachinePrincipal;
}

export type CallerKind = keyof CallerKinds;

/** Whom a route admits. All kinds that are not in the list are rejected. */
export type Admits = readonly ['anyone'] | readonly ['refresh'] | readonly Exclude<CallerKind, 'anyone' | 'refresh'>[];

interface Actor {
  readonly actor_type: 'user' | 'api_key';
  readonly actor_id: string;
  readonly organization_id: string;
}

/** The actor of an audit row, with the organization that gives the principal its permissions. */
export function actorOf(principal: Principal): Actor {
  if (principal.kind === 'machine') {
    const { service_account_id, organization_id } = principal.machine.state;
    return { actor_type: 'api_key', actor_id: service_account_id, organization_id };
  }
  const { user_id, organization_id } = principal.session;
  return { actor_type: 'user', actor_id: user_id, organization_id };
}

export const organizationOf = (principal: Principal): string => actorOf(principal).organization_id;

export const isUser = (principal: Principal, user_id: string): boolean =>
  principal.kind === 'user' && principal.session.user_id === user_id;

/** Returns the session of a user. Throws 401 for a machine; routes that use this function admit users only. */
export function requireUserSession(principal: Principal): SessionState {
  if (principal.kind !== 'user') throw notSignedIn();
  return principal.session;
}

export const userSession = (principal: Principal | undefined): SessionState | undefined =>
  principal?.kind === 'user' ? principal.session : undefined;
