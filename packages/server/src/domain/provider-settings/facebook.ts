import { createHmac } from 'node:crypto';
import { PROVIDER_TABLE } from '@gatehouse/contract';
import { addressOf, nameOf } from '../kernel/claims.ts';
import { CREDENTIALS_STORED, type OAuthProviderDefinition, type Profile } from './definition.ts';
import { subjectOf } from './external-identity.ts';
import type { ProviderSettings } from './resolve.ts';
import { fetchUserinfo, record } from './userinfo.ts';

export const facebook = {
  ...PROVIDER_TABLE.facebook,
  endpoints: {
    issuer: 'https://www.facebook.com',
    authorization: 'https://www.facebook.com/v24.0/dialog/oauth',
    token: 'https://graph.facebook.com/v24.0/oauth/access_token',
    userinfo: 'https://graph.facebook.com/v24.0/me',
  },
  authorization: { scope: 'email public_profile' },
  fetchProfile,
  probe: () => ({ ok: true, detail: `${CREDENTIALS_STORED}, for which the app needs the email permission` }),
} as const satisfies OAuthProviderDefinition;

/**
 * docs/reference/sign-in.md#third-party-sign-in: Facebook does not say whether an email is verified. `appsecret_proof`
 * proves that the request comes from the app that the token was issued to.
 */
async function fetchProfile(userinfo: string, access_token: string, { secret }: ProviderSettings): Promise<Profile> {
  const url = new URL(userinfo);
  url.searchParams.set('fields', 'id,name,email');
  url.searchParams.set('appsecret_proof', createHmac('sha256', secret).update(access_token).digest('hex'));
  const { id, name, email } = record(await fetchUserinfo(url.href, access_token));
  return { subject: subjectOf(id), ...addressOf(email, false), name: nameOf(name) };
}
