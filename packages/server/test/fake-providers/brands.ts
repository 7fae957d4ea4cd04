import type { OAuthProvider } from '@gatehouse/contract';
import { isOpenId, type OAuthProviderDefinition } from '../../src/domain/provider-settings/definition.ts';
import { settingPrefix } from '../../src/platform/config/settings.ts';
import { appleQuirks } from './apple.ts';
import { facebookQuirks } from './facebook.ts';
import { githubQuirks } from './github.ts';
import { DENIED } from './messages.ts';
import { microsoftQuirks } from './microsoft.ts';
import type { Brand, Endpoint, Quirks } from './types.ts';

const QUIRKS: Readonly<Partial<Record<OAuthProvider, Quirks>>> = {
  oauth_a: {
    scopes: { required: ['openid', 'email'], optional: ['profile'] },
    denial: { error: 'access_denied' },
    subject: '110169484474386276334',
    companions: ({ fake: { url } }, scope) => ({ iss: url, scope, authuser: '0', prompt: 'consent' }),
  },
  oauth_b: githubQuirks,
  oauth_c: microsoftQuirks,
  oauth_d: appleQuirks,
  oauth_e: facebookQuirks,
};

export function brandOf(definition: OAuthProviderDefinition): Brand {
  const { id, endpoints, authorization } = definition;
  const quirks = QUIRKS[id] ?? {};
  const pathOf = (url: string): string => decodeURI(new URL(url).pathname);
  const userinfo = 'userinfo' in endpoints && pathOf(endpoints.userinfo);
  return {
    scopes: { required: authorization.scope.split(' '), optional: [] },
    denial: DENIED,
    ...quirks,
    oidc: isOpenId(definition),
    paths: {
      authorization: pathOf(endpoints.authorization),
      token: pathOf(endpoints.token),
      ...('jwks' in endpoints && { jwks: pathOf(endpoints.jwks) }),
      ...(userinfo && { userinfo }),
      ...(userinfo && quirks.listEmails && { emails: `${userinfo}/emails` }),
    },
    tenants: endpoints.issuer.includes('{tenantid}'),
    person: {
      subject: quirks.subject ?? '583231',
      email: `${id}@example.com`,
      email_verified: true,
      name: 'Robin Example',
    },
  };
}

/** Whether the path matches the pattern. Accepts any tenant except a placeholder that the service did not replace. */
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

/** The issuer. Microsoft has one for each tenant; GitHub and Facebook send none. */
export const issuerOf = ({ tenants }: Brand, url: string, tenant = '{tenantid}'): string =>
  tenants ? `${url}/${tenant}/v2.0` : url;

export function environmentOf(provider: OAuthProvider, brand: Brand, url: string): Record<string, string> {
  const prefix = settingPrefix(provider);
  const { oidc, paths } = brand;
  return {
    ...(oidc && { [`${prefix}_ISSUER`]: issuerOf(brand, url), [`${prefix}_JWKS_URL`]: url + paths.jwks }),
    [`${prefix}_AUTHORIZATION_URL`]: url + paths.authorization,
    [`${prefix}_TOKEN_URL`]: url + paths.token,
    // Without a userinfo endpoint, this URL is a 404 of the fake, so that no request is sent to the real provider.
    [`${prefix}_USERINFO_URL`]: url + (paths.userinfo ?? '/no-userinfo'),
  };
}
