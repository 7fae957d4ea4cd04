import type { User } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';
import { avatarUrl } from '../avatars/url.ts';
import type { UserRecord } from './queries.ts';

/** docs/reference/accounts.md#profile: the user record, as users see their own and platform administrators see all. */
export const describeUser = (config: Config, row: UserRecord): User => ({
  id: row.id,
  email: row.email,
  email_verified: row.email_verified_at !== null,
  display_name: row.display_name,
  locale: row.locale,
  avatar_url: avatarUrl(config, row.avatar_id),
  status: row.status,
  has_password: row.has_password,
  mfa_enabled: row.mfa_enabled_at !== null,
  platform_role: row.platform_role,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_password_change_at: row.last_password_change_at?.toISOString() ?? null,
  last_login_at: row.last_login_at?.toISOString() ?? null,
  // The JSON of PostgreSQL formats timestamps differently.
  memberships: row.memberships.map((membership) => ({
    ...membership,
    joined_at: new Date(membership.joined_at).toISOString(),
  })),
});
