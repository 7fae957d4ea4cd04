import { PROVIDER_TABLE } from '@gatehouse/contract';
import { addressOf, nameOf } from '../kernel/claims.ts';
import type { OAuthProviderDefinition, Profile } from './definition.ts';
import { ProviderFailure, subjectOf } from './external-identity.ts';
import { fetchUserinfo, record } from './userinfo.ts';

export const github = {
  ...PROVIDER_TABLE.github,
  endpoints: {
    issuer: 'https://github.com',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    userinfo: 'https://api.github.com/user',
  },
  authorization: { scope: 'read:user user:email' },
  requiresClientId: true,
  fetchProfile,
} as const satisfies OAuthProviderDefinition;

/** GitHub does not verify the email in the profile, so the primary, verified one is read from the list of emails. */
async function fetchProfile(userinfo: string, access_token: string): Promise<Profile> {
  const [user, emails] = await Promise.all([
    fetchUserinfo(userinfo, access_token),
    fetchUserinfo(`${userinfo.replace(/\/+$/, '')}/emails`, access_token),
  ]);
  const { id, name, login } = record(user);
  if (!Array.isArray(emails)) throw new ProviderFailure('no_list');
  const primary = emails.map(record).find((entry) => entry.primary === true && entry.verified === true);
  return { subject: subjectOf(id), ...addressOf(primary?.email, true), name: nameOf(name) ?? nameOf(login) };
}
