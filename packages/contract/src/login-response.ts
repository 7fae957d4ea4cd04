import { type Static, Type } from 'typebox';
import { Aal, AnyAuthMethod } from './access-token.ts';
import { Restriction } from './policy.ts';
import { Nullable, Timestamp, Uuid } from './text.ts';

/** The kinds of credentials that someone who does not own the mailbox may have added. */
export const UnprovenCredential = Type.Enum(['identity', 'passkey', 'password', 'totp']);
export type UnprovenCredential = Static<typeof UnprovenCredential>;

/** §2.1, with the fields of docs/reference/sessions.md#endpoints. */
export const SessionUser = Type.Object({
  user_id: Uuid,
  organization_id: Uuid,
  email: Type.String(),
  email_verified: Type.Boolean(),
  display_name: Nullable(Type.String()),
  auth_method: AnyAuthMethod,
  aal: Aal,
  session_family_id: Uuid,
  mfa_verified_at: Nullable(Timestamp),
  scopes: Type.Array(Type.String()),
  allowed_ips: Type.Array(Type.String()),
  allowed_referrers: Type.Array(Type.String()),
  extensions: Type.Object({
    restricted: Type.Optional(Restriction),
    connection_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Present in a session of single sign-on: the connection that opened it. Such a session belongs to the organization and cannot change the account.',
      }),
    ),
    unproven_credentials: Type.Optional(
      Type.Array(UnprovenCredential, {
        description:
          'After a sign-in with an emailed code, if the email is not verified: the credentials that this session has neither used nor added. Sorted.',
      }),
    ),
    account: Type.Optional(
      Type.Object(
        {
          created_at: Timestamp,
          device: Nullable(
            Type.String({
              description: 'The browser and operating system that registered it; null if unknown.',
              examples: ['Firefox on Linux'],
            }),
          ),
        },
        {
          description:
            'Present exactly if `unproven_credentials` is: when and with which device the account was created.',
        },
      ),
    ),
  }),
});
export type SessionUser = Static<typeof SessionUser>;

export const Capabilities = Type.Object({
  role: Type.Enum(['owner', 'admin', 'member', 'machine']),
  roles: Type.Array(Type.String(), { description: 'The slugs of the roles besides `role`. Sorted.' }),
  permissions: Type.Array(Type.String(), {
    description: 'What `role` and `roles` allow, in the service and in the product. Sorted.',
  }),
  platform_role: Nullable(Type.Enum(['viewer', 'admin', 'owner'])),
});
export type Capabilities = Static<typeof Capabilities>;

export const LoginSuccess = Type.Object(
  {
    status: Type.Literal('success'),
    user: SessionUser,
    capabilities: Capabilities,
    access_token: Type.String({ description: 'A JWT with the claims `AccessTokenClaims`.' }),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
  },
  {
    examples: [
      {
        status: 'success',
        user: {
          user_id: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e71',
          organization_id: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e72',
          email: 'ada@example.com',
          email_verified: true,
          display_name: 'Ada Lovelace',
          auth_method: 'password',
          aal: 'aal1',
          session_family_id: '01928f6e-5c3a-7d44-9b1e-2f6a8c0d4e73',
          mfa_verified_at: null,
          scopes: [],
          allowed_ips: [],
          allowed_referrers: [],
          extensions: {},
        },
        capabilities: { role: 'owner', roles: [], permissions: ['members.list', 'org.read'], platform_role: null },
        access_token: 'eyJhbGciOiJSUzI1NiIs…',
        expires_in: 900,
      },
    ],
  },
);
export type LoginSuccess = Static<typeof LoginSuccess>;

export const MfaRequired = Type.Object(
  {
    status: Type.Literal('mfa_required'),
    mfa_token: Type.String({ description: 'Valid only for the MFA challenge.' }),
    mfa_token_expires_in: Type.Integer({ description: 'Seconds.' }),
  },
  { examples: [{ status: 'mfa_required', mfa_token: 'eyJhbGciOiJIUzI1NiIs…', mfa_token_expires_in: 300 }] },
);
export type MfaRequired = Static<typeof MfaRequired>;

/** §2.1: switch on `status` first. */
export const LoginResponse = Type.Union([LoginSuccess, MfaRequired]);
export type LoginResponse = Static<typeof LoginResponse>;
