import { type Config, settingPrefix } from '../../platform/config/settings.ts';
import type { Endpoints, OAuthProviderDefinition } from './definition.ts';

/**
 * docs/reference/operations.md#provider-settings: a setting can replace each endpoint. An endpoint that the provider
 * does not have is ''.
 */
export function endpointsOf(
  config: Config,
  definition: OAuthProviderDefinition,
  public_config: Readonly<Record<string, string>> = {},
): Endpoints {
  const { id, defaults = {} } = definition;
  const endpoints: Endpoints = { userinfo: '', jwks: '', ...definition.endpoints };
  const prefix = settingPrefix(id);
  const fill = (url: string): string =>
    Object.entries(defaults).reduce(
      (filled, [name, value]) => filled.replaceAll(`{${name}}`, encodeURIComponent(public_config[name] ?? value)),
      url,
    );
  return {
    issuer: config[`${prefix}_ISSUER`] ?? endpoints.issuer,
    authorization: fill(config[`${prefix}_AUTHORIZATION_URL`] ?? endpoints.authorization),
    token: fill(config[`${prefix}_TOKEN_URL`] ?? endpoints.token),
    userinfo: fill(config[`${prefix}_USERINFO_URL`] ?? endpoints.userinfo),
    jwks: fill(config[`${prefix}_JWKS_URL`] ?? endpoints.jwks),
  };
}
