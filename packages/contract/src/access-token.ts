import { type Static, Type } from 'typebox';
import { Uuid } from './text.ts';

export const TokenType = Type.Enum(['access', 'refresh', 'mfa']);
export type TokenType = Static<typeof TokenType>;

export const Aal = Type.Enum(['aal1', 'aal2']);
export type Aal = Static<typeof Aal>;

const SIGN_IN_METHODS = ['password', 'passkey', 'social_oauth', 'password_with_mfa', 'email_otp', 'sso'] as const;

/**
 * §2.2: how a user signed in; docs/reference/sign-in.md#all-methods adds `email_otp`,
 * docs/reference/policy-and-sso.md#single-sign-on `sso`.
 */
export const AuthMethod = Type.Enum([...SIGN_IN_METHODS]);
export type AuthMethod = Static<typeof AuthMethod>;

/** docs/reference/machines.md#tokens: machines use an API key. */
export const AnyAuthMethod = Type.Enum([...SIGN_IN_METHODS, 'api_key']);
export type AnyAuthMethod = Static<typeof AnyAuthMethod>;

/**
 * §2.2: the claims of every access token; `email` and `email_verified` only if an email is known. Identify users by
 * `sub`: an email may be unverified, and may change.
 *
 * docs/reference/sessions.md#access-tokens: `role`, `perms` (permissions of the product, sorted; if they are too long,
 * `perms_omitted` instead) and `perms_at` (milliseconds, by the clock of the database, when they were read). Tokens of
 * services older than product roles have none of these.
 *
 * docs/reference/machines.md#tokens: in the token of a machine, `sub` is the service account, `role` is `machine`, and
 * `scope` lists the permissions of the token, separated by spaces. Tokens of users have no `scope`.
 */
export const AccessTokenClaims = Type.Object(
  {
    sub: { ...Uuid, description: 'The user, or the service account.' },
    org: { ...Uuid, description: 'The organization.' },
    iss: Type.String({ description: 'PUBLIC_BASE_URL of the service.' }),
    exp: Type.Integer({ description: 'Seconds since 1970.' }),
    iat: Type.Integer({ description: 'Seconds since 1970.' }),
    typ: TokenType,
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
    jti: Uuid,
    sid: { ...Uuid, description: 'The session. The revocation feed lists this id when the session is revoked.' },
    aal: Aal,
    auth_time: Type.Integer({ description: 'Seconds since 1970.' }),
    auth_method: AnyAuthMethod,
    role: Type.Optional(Type.Enum(['owner', 'admin', 'member', 'machine'])),
    perms: Type.Optional(Type.Array(Type.String(), { description: 'Permissions of the product. Sorted.' })),
    perms_omitted: Type.Optional(
      Type.Literal(true, {
        description: 'Present instead of `perms` if the permissions would make the token too long.',
      }),
    ),
    perms_at: Type.Optional(
      Type.Integer({ description: 'When role and permissions were read, in milliseconds since 1970.' }),
    ),
    scope: Type.Optional(
      Type.String({ description: 'For service accounts: the permissions of the token, separated by spaces.' }),
    ),
  },
  {
    description: 'The claims of an access token, a JWT signed with a key of `/.well-known/jwks.json`.',
    examples: [
      {
        sub: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e71',
        org: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e72',
        iss: 'https://id.example.com',
        exp: 1_773_480_413,
        iat: 1_773_479_513,
        typ: 'access',
        email: 'ada@example.com',
        email_verified: true,
        jti: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e74',
        sid: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e73',
        aal: 'aal1',
        auth_time: 1_773_479_513,
        auth_method: 'password',
        role: 'owner',
        perms: ['invoices.read'],
        perms_at: 1_773_479_513_589,
      },
    ],
  },
);
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;
