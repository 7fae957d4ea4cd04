import { type Static, Type } from 'typebox';
import { Uuid } from './text.ts';

export const TokenType = Type.Enum(['access', 'refresh', 'mfa']);
export type TokenType = Static<typeof TokenType>;

export const Aal = Type.Enum(['aal1', 'aal2']);
export type Aal = Static<typeof Aal>;

/** §2.2; the contract, section 4, adds `email_otp`. */
export const AuthMethod = Type.Enum(['password', 'passkey', 'social_oauth', 'password_with_mfa', 'email_otp']);
export type AuthMethod = Static<typeof AuthMethod>;

/**
 * §2.2: the claims of every access token; `email` and `email_verified` only if an email is known. Identify users by
 * `sub`: an email may be unverified, and may change.
 *
 * The contract, section 11: `role`, `perms` (permissions of the product, sorted; if they are too long, `perms_omitted`
 * instead) and `perms_at` (milliseconds, by the clock of the database, when they were read). Tokens of the version
 * before have none of these.
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
  auth_method: AuthMethod,
  role: Type.Optional(Type.Enum(['owner', 'admin', 'member'])),
  perms: Type.Optional(Type.Array(Type.String())),
  perms_omitted: Type.Optional(Type.Literal(true)),
  perms_at: Type.Optional(Type.Integer()),
});
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;
