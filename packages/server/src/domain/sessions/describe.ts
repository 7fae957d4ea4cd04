import type { CurrentSession, SessionUser } from '@gatehouse/contract';
import { permissionsOf } from '../kernel/permissions.ts';
import type { SessionState } from '../kernel/session-state.ts';

export type DescribedSession = Omit<
  SessionState,
  'expires_at' | 'last_used_at' | 'auth_time' | 'perms_at' | 'locale' | 'trusted_browser_id' | 'allowed_networks'
>;

/** §2.1: a session as its owner sees it. `scopes`, `allowed_ips` and `allowed_referrers` are always empty for users. */
export const describeSession = (
  state: DescribedSession,
  extensions: SessionUser['extensions'] = {},
): CurrentSession => ({
  user: {
    user_id: state.user_id,
    organization_id: state.organization_id,
    email: state.email,
    email_verified: state.email_verified_at !== null,
    display_name: state.display_name,
    auth_method: state.auth_method,
    aal: state.aal,
    session_family_id: state.session_id,
    mfa_verified_at: state.mfa_verified_at?.toISOString() ?? null,
    scopes: [],
    allowed_ips: [],
    allowed_referrers: [],
    extensions: {
      ...extensions,
      ...(state.restricted !== null && { restricted: state.restricted }),
      ...(state.connection_id !== null && { connection_id: state.connection_id }),
    },
  },
  capabilities: {
    role: state.role,
    roles: [...(state.held?.roles ?? [])].sort(),
    permissions: state.restricted === null ? permissionsOf(state) : [],
    platform_role: state.platform_role,
  },
});
