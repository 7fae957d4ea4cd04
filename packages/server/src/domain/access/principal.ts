import type { SessionState } from '../sessions/state.ts';

/** The authenticated party of a request. Each guard of a route says which kinds it admits. */
export type Principal = UserPrincipal;

interface UserPrincipal {
  readonly kind: 'user';
  readonly session: SessionState;
}

export type PrincipalKind = Principal['kind'];

interface Actor {
  readonly actor_type: PrincipalKind;
  readonly actor_id: string;
  readonly organization_id: string;
}

/** The actor of an audit row, with the organization of the membership that gives the principal its permissions. */
export const actorOf = ({ kind, session: { user_id, organization_id } }: Principal): Actor => ({
  actor_type: kind,
  actor_id: user_id,
  organization_id,
});

export const isUser = (principal: Principal, user_id: string): boolean =>
  principal.kind === 'user' && principal.session.user_id === user_id;

export const userSession = (principal: Principal | undefined): SessionState | undefined =>
  principal?.kind === 'user' ? principal.session : undefined;
