import { type Static, Type } from 'typebox';

/** RFC 6749 and its extensions: each error code of the endpoints below `/oauth` has exactly one status. */
export const TOKEN_ERRORS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  temporarily_unavailable: 429,
  server_error: 500,
} as const;
export type TokenErrorCode = keyof typeof TOKEN_ERRORS;

export const TokenError = Type.Object(
  {
    error: Type.Enum(Object.keys(TOKEN_ERRORS) as TokenErrorCode[]),
    error_description: Type.String(),
  },
  { description: 'The error body of RFC 6749, section 5.2. Switch on `error`.' },
);
export type TokenError = Static<typeof TokenError>;

/** The parameters of a token request that all grants share. A parameter must not occur twice. */
export const TokenForm = Type.Object(
  {
    grant_type: Type.String({ examples: ['client_credentials'] }),
    client_id: Type.Optional(Type.String({ description: 'Unless it is in the header `Authorization: Basic`.' })),
    client_secret: Type.Optional(Type.String({ description: 'Unless it is in the header `Authorization: Basic`.' })),
    scope: Type.Optional(Type.String({ description: 'Scopes, separated by spaces. Left out: all that are allowed.' })),
  },
  { examples: [{ grant_type: 'client_credentials' }] },
);

export const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  scope: Type.String({ description: 'The permissions of the token, separated by spaces.' }),
  refresh_token: Type.Optional(Type.String({ description: 'Only for applications, with the scope `offline_access`.' })),
  id_token: Type.Optional(Type.String({ description: 'Only for applications, with the scope `openid`.' })),
});
export type TokenResponse = Static<typeof TokenResponse>;
