import type { Machine } from './machine.ts';
import { notSignedIn } from './service-error.ts';
import type { SessionState } from './session-state.ts';

/** The authenticated party of a request. Each guard of a route says which kinds it admits. */
export type Principal = UserPrincipal | MachinePrincipal;

interface UserPrincipal {
  readonly kind: 'user';
  readonly session: SessionState;
}

export interface MachinePrincipal {
  readonly kind: 'machine';
  readonly machine: Machine;
}

export type PrincipalKind = Principal['kind'];

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

export const isUser = (principal: Principal, user_id: string): boolean =>
  principal.kind === 'user' && principal.session.user_id === user_id;

/** Returns the session of a user. Throws 401 for a machine; routes that use this function admit users only. */
export function requireUserSession(principal: Principal): SessionState {
  if (principal.kind !== 'user') throw notSignedIn();
  return principal.session;
}

export const userSession = (principal: Principal | undefined): SessionState | undefined =>
  principal?.kind === 'user' ? principal.session : undefined;
