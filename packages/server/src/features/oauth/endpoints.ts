import type { OAuthProvider } from '@gatehouse/contract';
import { APPLE } from '../../domain/providers/apple-secret.ts';
import type { Config } from '../../platform/config/settings.ts';

export interface Endpoints {
  /** Microsoft's holds `{tenantid}`, which stands for the tenant of each token. */
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  /** Of those that have no id_token. */
  readonly userinfo: string;
  /** Of those that have one. */
  readonly jwks: string;
}

/** Where each provider is. `{tenant}` stands for the configured one. None of it is ever learnt from an answer. */
const KNOWN: Readonly<Record<OAuthProvider, Endpoints>> = {
  oauth_a: {
    issuer: 'https://accounts.google.com',
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    userinfo: '',
    jwks: 'https://www.googleapis.com/oauth2/v3/certs',
  },
  oauth_b: {
    issuer: 'https://github.com',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    userinfo: 'https://api.github.com/user',
    jwks: '',
  },
  oauth_c: {
    issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    authorization: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    userinfo: '',
    jwks: 'https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys',
  },
  oauth_d: {
    issuer: APPLE,
    authorization: 'https://appleid.apple.com/auth/authorize',
    token: 'https://appleid.apple.com/auth/token',
    userinfo: '',
    jwks: 'https://appleid.apple.com/auth/keys',
  },
  oauth_e: {
    issuer: 'https://www.facebook.com',
    authorization: 'https://www.facebook.com/v24.0/dialog/oauth',
    token: 'https://graph.facebook.com/v24.0/oauth/access_token',
    userinfo: 'https://graph.facebook.com/v24.0/me',
    jwks: '',
  },
};

const LETTERS = { oauth_a: 'A', oauth_b: 'B', oauth_c: 'C', oauth_d: 'D', oauth_e: 'E' } as const;

export const DEFAULT_TENANT = 'common';

/** The contract, section 5: each can be pointed elsewhere by a setting. */
export function endpointsOf(config: Config, provider: OAuthProvider, tenant: string = DEFAULT_TENANT): Endpoints {
  const letter = LETTERS[provider];
  const known = KNOWN[provider];
  const at = (url: string) => url.replaceAll('{tenant}', encodeURIComponent(tenant));
  return {
    issuer: config[`OAUTH_${letter}_ISSUER`] ?? known.issuer,
    authorization: at(config[`OAUTH_${letter}_AUTHORIZATION_URL`] ?? known.authorization),
    token: at(config[`OAUTH_${letter}_TOKEN_URL`] ?? known.token),
    userinfo: at(config[`OAUTH_${letter}_USERINFO_URL`] ?? known.userinfo),
    jwks: at(config[`OAUTH_${letter}_JWKS_URL`] ?? known.jwks),
  };
}
