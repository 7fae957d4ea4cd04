import type { FastifyRequest } from 'fastify';
import type { Caller, Requirements } from '../domain/kernel/caller.ts';
import type { Machine } from '../domain/kernel/machine.ts';
import { type Principal, userSession } from '../domain/kernel/principal.ts';
import { notSignedIn } from '../domain/kernel/service-error.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import type { RefreshClaims } from '../domain/sessions/refresh/token.ts';
import { clientAddress, isLocalAddress, limitSubject, type Proxies, widerSubject } from './client-address.ts';
import { routeOf } from './route.ts';

const MAX_USER_AGENT_LENGTH = 512;

// docs/reference/http.md#credentials: carries the principal from the guards to the handler.
const PRINCIPAL = Symbol('principal');
type WithPrincipal = FastifyRequest & { [PRINCIPAL]?: Principal };

export const rememberSession = (request: FastifyRequest, session: SessionState): void => {
  (request as WithPrincipal)[PRINCIPAL] = { kind: 'user', session };
};

export const rememberMachine = (request: FastifyRequest, machine: Machine): void => {
  (request as WithPrincipal)[PRINCIPAL] = { kind: 'machine', machine };
};

export const principalOf = (request: FastifyRequest): Principal | undefined => (request as WithPrincipal)[PRINCIPAL];

/** Returns the session of the request, or undefined if its principal is not a user. */
export const sessionOf = (request: FastifyRequest): SessionState | undefined => userSession(principalOf(request));

// Carries the claims of a refresh token from its guard to its handler.
const REFRESH = Symbol('refresh');
type WithRefresh = FastifyRequest & { [REFRESH]?: RefreshClaims };

export const rememberRefresh = (request: FastifyRequest, claims: RefreshClaims): void => {
  (request as WithRefresh)[REFRESH] = claims;
};

export function refreshBehind(request: FastifyRequest): RefreshClaims {
  const claims = (request as WithRefresh)[REFRESH];
  if (!claims) throw notSignedIn();
  return claims;
}

/** Address and user agent are computed on demand: most requests need neither. */
class RequestCaller implements Caller {
  readonly request_id: string;
  readonly principal: Principal | undefined;
  readonly #request: FastifyRequest;
  readonly #proxies: Proxies;
  constructor(request: FastifyRequest, proxies: Proxies) {
    this.request_id = request.id;
    this.principal = principalOf(request);
    this.#request = request;
    this.#proxies = proxies;
  }
  get ip_address(): string | null {
    return clientAddress(this.#request, this.#proxies);
  }
  get network(): string {
    return limitSubject(this.ip_address);
  }
  get wider_network(): string | null {
    return widerSubject(this.ip_address);
  }
  get is_local(): boolean {
    return isLocalAddress(this.ip_address);
  }

  get is_platform(): boolean {
    return routeOf(this.#request)?.access?.some(({ isPlatform }) => isPlatform) ?? false;
  }
  get requirements(): Requirements {
    const all = routeOf(this.#request)?.access?.map(({ requires }) => requires?.(this.#request)) ?? [];
    return {
      permissions: all.flatMap((each) => each?.permissions ?? []),
      platform_role: all.find((each) => each?.platform_role)?.platform_role,
      fresh: all.some((each) => each?.fresh),
    };
  }
  get user_agent(): string | null {
    return cleanUserAgent(this.#request.headers['user-agent']);
  }
}

export const callerOf = (request: FastifyRequest, proxies: Proxies): Caller => new RequestCaller(request, proxies);

/** Header bytes arrive as Latin-1 and are arbitrary; the stored value is short and printable. */
const cleanUserAgent = (value: string | undefined): string | null =>
  value === undefined ? null : value.replace(/[^\x20-\x7e\xa0-\xff]/g, '').slice(0, MAX_USER_AGENT_LENGTH) || null;
