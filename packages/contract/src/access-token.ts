import { type Static, Type } from 'typebox';
import { Uuid } from './text.ts';

export const TokenType = Type.Enum(['access', 'refresh', 'mfa']);
export type TokenType = Static<typeof TokenType>;

export const Aal = Type.Enum(['aal1', 'aal2']);
export type Aal = Static<typeof Aal>;

const SIGN_IN_METHODS = ['password', 'passkey', 'social_oauth', 'password_with_mfa', 'email_otp', 'sso'] as const;

/** §2.2: how a user signed in; the contract, section 4, adds `email_otp`, section 13.3 `sso`. */
export const AuthMethod = Type.Enum([...SIGN_IN_METHODS]);
export type AuthMethod = Static<typeof AuthMethod>;

/** The contract, section 12: machines use an API key. */
export const AnyAuthMethod = Type.Enum([...SIGN_IN_METHODS, 'api_key']);
export type AnyAuthMethod = Static<typeof AnyAuthMethod>;

/**
 * §2.2: the claims of every access token; `email` and `email_verified` only if an email is known. Identify users by
 * `sub`: an email may be unverified, and may change.
 *
 * The contract, section 11: `role`, `perms` (permissions of the product, sorted; if they are too long, `perms_omitted`
 * instead) and `perms_at` (milliseconds, by the clock of the database, when they were read). Tokens of the version
 * before have none of these.
 *
 * The contract, section 12: in the token of a machine, `sub` is the service account, `role` is `machine`, and `scope`
 * lists the permissions of the token, separated by spaces. Tokens of users have no `scope`.
 */
export const AccessTokenClaims = Type.Object({
  sub: Uuid,
  org: Uuid,
  iss: Type.String(),
  exp: Type.Integer(),
  iat: Type.Integer(),
  typ: TokenType,
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Boolean()),
  jti: Uuid,
  sid: Uuid,
  aal: Aal,
  auth_time: Type.Integer(),
  auth_method: AnyAuthMethod,
  role: Type.Optional(Type.Enum(['owner', 'admin', 'member', 'machine'])),
  perms: Type.Optional(Type.Array(Type.String())),
  perms_omitted: Type.Optional(Type.Literal(true)),
  perms_at: Type.Optional(Type.Integer()),
  scope: Type.Optional(Type.String()),
});
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;
