import { admit } from './admit.ts';
import { membersOf } from './document.ts';
import { NEEDS, type Needs, requireKnown } from './needs.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Session } from './session.ts';
import type { Verifier } from './verifier.ts';

/**
 * What a route requires besides an active session. All needs must be met.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 * import { protect, type RouteNeeds } from '@gatehouse/verify/fastify';
 * import Fastify from 'fastify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const app = Fastify();
 * const toInvite: RouteNeeds = { organizationParam: 'org_id', permission: 'members.invite' };
 * app.post('/orgs/:org_id/guests', { onRequest: protect(verifier, toInvite) }, async () => 'invited');
 * ```
 */
export interface RouteNeeds extends Omit<Needs, 'organization'> {
  /** The path parameter that names an organization, which must be the session's own: `org_id` of `/orgs/:org_id`. */
  readonly organizationParam?: string;
}

/** What an adapter reads from a request. */
interface Reading {
  readonly authorization: string | undefined;
  param(name: string): unknown;
}

/**
 * Reads a request of Fastify or Express. `params` is not in the parameter's type, because frameworks would infer the
 * type of their own `params` from it.
 */
export const readingOf = (request: { readonly headers: { readonly authorization?: string | undefined } }): Reading => ({
  authorization: request.headers.authorization,
  param: (name) => membersOf(membersOf(request).params)[name],
});

const sessions = new WeakMap<object, Session>();

const ROUTE_NEEDS = ['organizationParam', ...NEEDS.filter((name) => name !== 'organization')];

/** Returns the guard of a route. It resolves with undefined, and stores the session, if the request is accepted. */
export function createGuard(verifier: Verifier, routeNeeds: RouteNeeds) {
  requireKnown(ROUTE_NEEDS, routeNeeds, 'protect');
  const { organizationParam, ...needs } = routeNeeds;
  const isOfOrganization = 'organizationParam' in routeNeeds;
  return async (request: object, { authorization, param }: Reading): Promise<Refusal | undefined> => {
    try {
      const all = isOfOrganization ? { ...needs, organization: textOf(param(String(organizationParam))) } : needs;
      sessions.set(request, await admit(verifier, authorization, all));
      return undefined;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Returns the session of a request that has passed `protect`. Throws for any other request, so that a route without
 * `protect` fails at its first use. Each adapter exports it.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 * import { protect, sessionOf } from '@gatehouse/verify/hono';
 * import { Hono } from 'hono';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const app = new Hono();
 * app.get('/me', protect(verifier), (c) => c.json({ user_id: sessionOf(c).user_id }));
 *
 * const answer = await app.request('/me', { headers: { authorization: `Bearer ${token}` } });
 * console.log(answer.status); // 200
 * ```
 */
export function sessionOf(request: object): Session {
  const session = sessions.get(request);
  if (!session) throw new Error('this route is not behind protect()');
  return session;
}
