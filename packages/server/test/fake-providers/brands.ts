import type { OAuthProvider } from '@gatehouse/contract';
import { isOpenId, type OAuthProviderDefinition } from '../../src/domain/providers/definition.ts';
import { settingPrefix } from '../../src/platform/config/settings.ts';
import { appleQuirks } from './apple.ts';
import { facebookQuirks } from './facebook.ts';
import { githubQuirks } from './github.ts';
import { type Answer, DENIED, type ReceivedRequest } from './messages.ts';
import { microsoftQuirks } from './microsoft.ts';
import type { Endpoint, FakePerson, Grant, ProviderState, TokenError } from './provider.ts';

/** How a fake differs from a standard OpenID Connect provider. */
export interface Quirks {
  /** Default: those that the service asks for. */
  readonly scopes?: { readonly required: readonly string[]; readonly optional: readonly string[] };
  /** Parameters of the callback when the user denied access. */
  readonly denial?: Readonly<Record<string, string>> & { readonly error: string };
  readonly subject?: string;
  readonly isSubject?: (subject: string) => boolean;
  /** The browser posts the callback parameters. */
  readonly formPost?: true;
  /** Callback parameters besides `code` and `state`, which the service must ignore or check. */
  readonly companions?: (state: ProviderState, scope: string) => Record<string, string>;
  readonly claims?: (person: FakePerson, iat: number) => Record<string, unknown>;
  readonly refusal?: (request: ReceivedRequest, error: TokenError, error_description: string) => Answer;
  /** The token response of a provider without id_tokens. */
  readonly tokens?: (request: ReceivedRequest, access_token: string, grant: Grant) => Answer;
  readonly userinfo?: (state: ProviderState, request: ReceivedRequest) => Answer;
  readonly listEmails?: (state: ProviderState, request: ReceivedRequest) => Answer;
  /** What is wrong with the client secret. Default: it must be the saved one. */
  readonly secretProblem?: (state: ProviderState, client_secret: string) => string | undefined;
}

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

export interface Brand extends Quirks {
  readonly oidc: boolean;
  /** `{tenant}` stands for one segment, which the service fills in. */
  readonly paths: Readonly<Partial<Record<Endpoint, string>> & { authorization: string; token: string }>;
  readonly scopes: NonNullable<Quirks['scopes']>;
  readonly denial: NonNullable<Quirks['denial']>;
  /** Each tenant has an issuer of its own. */
  readonly tenants: boolean;
  readonly person: FakePerson;
}

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
export const issuerOf = ({ tenants }: Brand, url: string, tenant = '{tenantid}'): string =>
  tenants ? `${url}/${tenant}/v2.0` : url;

export function environmentOf(provider: OAuthProvider, brand: Brand, url: string): Record<string, string> {
  const prefix = settingPrefix(provider);
  const { oidc, paths } = brand;
  return {
    ...(oidc && { [`${prefix}_ISSUER`]: issuerOf(brand, url), [`${prefix}_JWKS_URL`]: url + paths.jwks }),
    [`${prefix}_AUTHORIZATION_URL`]: url + paths.authorization,
    [`${prefix}_TOKEN_URL`]: url + paths.token,
    // Where there is none, it leads to a 404 here: better than to the real one.
    [`${prefix}_USERINFO_URL`]: url + (paths.userinfo ?? '/no-userinfo'),
  };
}
