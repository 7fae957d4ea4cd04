import type { Member } from '@gatehouse/contract';
import { avatarUrl } from '../../domain/avatars/url.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { MemberRow } from '../../domain/memberships/queries.ts';
import type { Config } from '../../platform/config/settings.ts';

/** docs/reference/organizations.md#members: a member as seen by other members. */
export const describeMember = (
  config: Config,
  { avatar_id, mfa_enabled_at, joined_at, roles, ...row }: MemberRow,
): Member => ({
  ...row,
  roles: roles.toSorted((left, right) => (left.slug < right.slug ? -1 : 1)),
  avatar_url: avatarUrl(config, avatar_id),
  mfa_enabled: mfa_enabled_at !== null,
  joined_at: joined_at.toISOString(),
});

export const noSuchMember = () => new ServiceError('not_found', 'there is no such member');
