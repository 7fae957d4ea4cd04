import { type Static, Type } from 'typebox';

const Words = Type.Array(Type.String());

/** RFC 8414 and OpenID Connect Discovery: what the provider for applications supports. */
export const ProviderMetadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  userinfo_endpoint: Type.String(),
  introspection_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  jwks_uri: Type.String(),
  revocation_feed_uri: Type.String(),
  scopes_supported: Words,
  response_types_supported: Words,
  response_modes_supported: Words,
  grant_types_supported: Words,
  subject_types_supported: Words,
  id_token_signing_alg_values_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  introspection_endpoint_auth_methods_supported: Words,
  revocation_endpoint_auth_methods_supported: Words,
  code_challenge_methods_supported: Words,
  prompt_values_supported: Words,
  acr_values_supported: Words,
  claims_supported: Words,
  authorization_response_iss_parameter_supported: Type.Boolean(),
  claims_parameter_supported: Type.Boolean(),
  request_parameter_supported: Type.Boolean(),
  request_uri_parameter_supported: Type.Boolean(),
});
export type ProviderMetadata = Static<typeof ProviderMetadata>;

/** The claims depend on the scopes of the token. */
export const UserinfoResponse = Type.Object({ sub: Type.String({ format: 'uuid' }) }, { additionalProperties: true });

export const BearerError = Type.Object(
  { error: Type.Enum(['invalid_token', 'insufficient_scope']), error_description: Type.String() },
  { description: 'RFC 6750, section 3.1.' },
);

/** The token to inspect or revoke. */
export const TokenParameter = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.String({ description: 'Ignored: the service recognizes both kinds of tokens.' })),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
});

/** RFC 7662, section 2.2. All other fields are left out if the token is not active. */
export const Introspection = Type.Object({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  token_type: Type.Optional(Type.String()),
  sub: Type.Optional(Type.String()),
  aud: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  org: Type.Optional(Type.String()),
  sid: Type.Optional(Type.String()),
  auth_time: Type.Optional(Type.Integer()),
  acr: Type.Optional(Type.String()),
  jti: Type.Optional(Type.String()),
  iat: Type.Optional(Type.Integer()),
  exp: Type.Optional(Type.Integer()),
});
export type Introspection = Static<typeof Introspection>;
