import type { Brand, Endpoint, FakePerson, ProviderId } from './types.ts';

/** Microsoft puts every personal account into this one. */
export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
export const WORK_TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';

const DENIED = { error: 'access_denied', error_description: 'The user has denied access.' };

const person = (provider: ProviderId, subject: string): FakePerson => ({
  subject,
  email: `${provider}@example.com`,
  email_verified: true,
  name: 'Robin Example',
});

export const BRANDS: Readonly<Record<ProviderId, Brand>> = {
  // Google
  oauth_a: {
    letter: 'A',
    oidc: true,
    paths: { authorization: '/o/oauth2/v2/auth', token: '/token', jwks: '/oauth2/v3/certs' },
    scopes: { required: ['openid', 'email'], optional: ['profile'] },
    denial: { error: 'access_denied' },
    person: person('oauth_a', '110169484474386276334'),
  },
  // GitHub
  oauth_b: {
    letter: 'B',
    oidc: false,
    paths: {
      authorization: '/login/oauth/authorize',
      token: '/login/oauth/access_token',
      userinfo: '/user',
      emails: '/user/emails',
    },
    scopes: { required: ['user:email'], optional: ['read:user'] },
    denial: DENIED,
    person: person('oauth_b', '583231'),
  },
  // Microsoft
  oauth_c: {
    letter: 'C',
    oidc: true,
    paths: {
      authorization: '/{tenant}/oauth2/v2.0/authorize',
      token: '/{tenant}/oauth2/v2.0/token',
      jwks: '/{tenant}/discovery/v2.0/keys',
    },
    scopes: { required: ['openid', 'email'], optional: ['profile'] },
    denial: { ...DENIED, error_subcode: 'cancel' },
    person: person('oauth_c', 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ'),
  },
  // Apple
  oauth_d: {
    letter: 'D',
    oidc: true,
    paths: { authorization: '/auth/authorize', token: '/auth/token', jwks: '/auth/keys' },
    scopes: { required: ['name', 'email'], optional: ['openid'] },
    denial: { error: 'user_cancelled_authorize' },
    person: person('oauth_d', '001999.af9b1a4e9d3c4f4e8c2c4a53f1e3b7aa.0815'),
  },
  // Facebook
  oauth_e: {
    letter: 'E',
    oidc: false,
    paths: { authorization: '/v23.0/dialog/oauth', token: '/v23.0/oauth/access_token', userinfo: '/v23.0/me' },
    scopes: { required: ['email'], optional: ['public_profile'] },
    denial: { ...DENIED, error_code: '200', error_reason: 'user_denied' },
    person: person('oauth_e', '10158462093847561'),
  },
};

/** Any tenant will do, but not the placeholder: that is one the service forgot to fill in. */
export const isAt = (path: string, pattern: string): boolean => {
  const [before = '', after] = pattern.split('{tenant}');
  if (after === undefined) return path === pattern;
  const tenant = path.slice(before.length, path.length - after.length);
  return path === `${before}${tenant}${after}` && /^[^/]+$/.test(tenant) && !/\{|%7B/i.test(tenant);
};

export function endpointAt(brand: Brand, path: string): Endpoint | undefined {
  const found = Object.entries(brand.paths).find(([, pattern]) => isAt(path, pattern));
  return found?.[0] as Endpoint | undefined;
}

/** What the provider calls itself; Microsoft has one name for each tenant. GitHub and Facebook have none on the wire. */
export const issuerOf = (provider: ProviderId, url: string, tenant = '{tenantid}'): string =>
  provider === 'oauth_c' ? `${url}/${tenant}/v2.0` : url;

export function environmentOf(provider: ProviderId, url: string): Record<string, string> {
  const { letter, oidc, paths } = BRANDS[provider];
  return {
    ...(oidc && {
      [`OAUTH_${letter}_ISSUER`]: issuerOf(provider, url),
      [`OAUTH_${letter}_JWKS_URL`]: url + paths.jwks,
    }),
    [`OAUTH_${letter}_AUTHORIZATION_URL`]: url + paths.authorization,
    [`OAUTH_${letter}_TOKEN_URL`]: url + paths.token,
    // Where there is none, it leads to a 404 here: better than to the real one.
    [`OAUTH_${letter}_USERINFO_URL`]: url + (paths.userinfo ?? '/no-userinfo'),
  };
}
