import type { CurrentSession } from '@gatehouse/contract';
import type { Machine } from '../kernel/machine.ts';

/** docs/reference/machines.md#tokens: GET /auth/session of a machine. */
export const describeMachine = ({ state, permissions }: Machine): CurrentSession => ({
  user: {
    user_id: state.service_account_id,
    organization_id: state.organization_id,
    email: '',
    email_verified: false,
    display_name: state.name,
    auth_method: 'api_key',
    aal: 'aal1',
    session_family_id: state.sid,
    mfa_verified_at: null,
    scopes: [...permissions],
    allowed_ips: state.allowed_ips,
    allowed_referrers: state.allowed_referrers,
    extensions: {},
  },
  capabilities: {
    role: 'machine',
    roles: [...(state.held?.roles ?? [])].sort(),
    permissions: [...permissions],
    platform_role: null,
  },
});
