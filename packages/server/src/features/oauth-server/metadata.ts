import { type ProviderMetadata, STANDARD_SCOPES } from '@gatehouse/contract';
import { issuerOf, userinfoOf } from '../../domain/oauth-server/grants/tokens.ts';
import type { Config } from '../../platform/config/settings.ts';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none'];

/** OpenID Provider metadata. Lists only what this service implements. */
export function providerMetadata(config: Config): ProviderMetadata {
  const issuer = issuerOf(config);
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: userinfoOf(config),
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/jwks.json`,
    revocation_feed_uri: `${config.PUBLIC_BASE_URL}/.well-known/service-revocations.json`,
    scopes_supported: [...STANDARD_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    acr_values_supported: ['aal1', 'aal2'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash'],
      ...['name', 'picture', 'locale', 'updated_at', 'email', 'email_verified'],
      ...['org', 'org_name', 'org_slug', 'role', 'roles'],
    ],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
