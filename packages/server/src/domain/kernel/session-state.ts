import type { AuthMethod, Restriction } from '@gatehouse/contract';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { MemberPermissions, PlatformRole } from './permissions.ts';

/**
 * Where a session may act: in the whole account of its user, or, if single sign-on opened it, only in its organization,
 * which has lent it: docs/reference/policy-and-sso.md#single-sign-on.
 */
export type SessionReach = 'account' | 'organization';

export const reachOf = (connection_id: string | null): SessionReach =>
  connection_id === null ? 'account' : 'organization';

/** An active session with everything that a request may depend on, as `findLiveSession` reads it. */
export interface SessionState extends MemberPermissions {
  readonly session_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly auth_method: AuthMethod;
  readonly first_factor: FirstFactor | null;
  readonly reach: SessionReach;
  /** The connection of single sign-on that opened the session. What the session may do depends on `reach`. */
  readonly connection_id: string | null;
  readonly restricted: Restriction | null;
  readonly trusted_browser_id: string | null;
  /** The networks that the policy allows; null: all. */
  readonly allowed_networks: string[] | null;
  readonly aal: 'aal1' | 'aal2';
  readonly auth_time: Date;
  readonly mfa_verified_at: Date | null;
  last_used_at: Date;
  readonly expires_at: Date;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly platform_role: PlatformRole | null;
  /** When the roles were read; see `permsAt`. */
  readonly perms_at: number;
}
