import { STANDARD_SCOPES } from '@gatehouse/contract';
import { seconds } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/settings.ts';
import type { FirstFactor } from '../../../platform/db/column-types.ts';
import { avatarUrl } from '../../avatars/url.ts';
import type { ApplicationGrant } from './queries.ts';

const STANDARD: ReadonlySet<string> = new Set(STANDARD_SCOPES);

/** Returns the scopes that the application still lists, without permissions that the user lacks now. */
export const effectiveScopes = (
  { scopes, held }: Pick<ApplicationGrant, 'scopes' | 'held'>,
  application: { readonly scopes: readonly string[] } | undefined,
): string[] =>
  scopes.filter(
    (scope) =>
      application?.scopes.includes(scope) && (STANDARD.has(scope) || held?.permissions.includes(scope) === true),
  );

/**
 * docs/reference/oauth-server.md#access-and-id-tokens: what the scopes reveal about the user, in ID tokens and at
 * userinfo. A claim without a value is left out.
 */
export function claimsOf(config: Config, grant: ApplicationGrant, scopes: readonly string[]): Record<string, unknown> {
  return {
    ...(scopes.includes('profile') && {
      ...(grant.display_name !== null && { name: grant.display_name }),
      ...(grant.avatar_id !== null && { picture: avatarUrl(config, grant.avatar_id) }),
      ...(grant.locale !== null && { locale: grant.locale }),
      updated_at: seconds(grant.updated_at),
    }),
    ...(scopes.includes('email') && { email: grant.email, email_verified: grant.email_verified_at !== null }),
    ...(scopes.includes('organization') && {
      org: grant.organization_id,
      org_name: grant.organization_name,
      org_slug: grant.organization_slug,
      role: grant.role,
      roles: [...(grant.held?.roles ?? [])].sort(),
    }),
  };
}

/** `fed` is not registered, but widely used: another provider has authenticated the user. */
const FIRST_FACTORS: Readonly<Record<FirstFactor, readonly string[]>> = {
  password: ['pwd'],
  email_otp: ['otp'],
  passkey: ['pop', 'user'],
  social_oauth: ['fed'],
  sso: ['fed'],
};

/** The claim `amr` (RFC 8176). A second factor adds `mfa`; so does a passkey, which verifies the user. */
export const methodsOf = ({ first_factor, aal }: Pick<ApplicationGrant, 'first_factor' | 'aal'>): string[] => [
  ...(first_factor === null ? [] : FIRST_FACTORS[first_factor]),
  ...(aal === 'aal2' ? ['mfa'] : []),
];
