import type { OrganizationPermission, PlatformRole } from './permissions.ts';
import type { Principal } from './principal.ts';

/** What the access list of a route requires of its caller; `transactAs` checks it again in the transaction. */
export interface Requirements {
  readonly permissions: readonly OrganizationPermission[];
  readonly platform_role: PlatformRole | undefined;
  /** Recent authentication. */
  readonly fresh: boolean;
}

/** Who sends a request, as far as the service knows it. */
export interface Caller {
  readonly request_id: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  /** The key of rate limits: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string;
  /** The /48 around an IPv6 network; null for IPv4. */
  readonly wider_network: string | null;
  /** Whether the address is a loopback or private one. */
  readonly is_local: boolean;
  /** A request to a route that requires a platform role, or the command line. See `visibilityOf`. */
  readonly is_platform: boolean;
  /** Set only if a guard of the route has authenticated the caller. */
  readonly principal: Principal | undefined;
  /** Undefined for the service itself and the command line. */
  readonly requirements?: Requirements;
}

/** The service itself. Audit rows by this caller have `actor_type` `system`. */
export const SYSTEM: Caller = {
  request_id: null,
  ip_address: null,
  user_agent: null,
  network: 'none',
  wider_network: null,
  is_local: true,
  is_platform: false,
  principal: undefined,
};

export const COMMAND_LINE: Caller = { ...SYSTEM, is_platform: true };
