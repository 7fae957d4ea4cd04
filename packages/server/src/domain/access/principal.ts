import type { SessionState } from '../sessions/state.ts';

/** Whom a request acts for. The guards of a route say which kinds they admit. */
export type Principal = UserPrincipal;

/** A user, with the session of the request. */
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

/** What an audit row says of the principal; also the seat that its permissions come from. */
export const actorOf = ({ kind, session: { user_id, organization_id } }: Principal): Actor => ({
  actor_type: kind,
  actor_id: user_id,
  organization_id,
});

export const isUser = (principal: Principal, user_id: string): boolean =>
  principal.kind === 'user' && principal.session.user_id === user_id;

/** Undefined for everyone but users. */
export const userSession = (principal: Principal | undefined): SessionState | undefined =>
  principal?.kind === 'user' ? principal.session : undefined;
