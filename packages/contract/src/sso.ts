import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { RoleIds } from './role.ts';
import { Name, Nullable, Timestamp, Token, Uuid } from './text.ts';

/** The result of the last test of a connection. */
export const SsoTestResult = Type.Object({
  ok: Type.Boolean(),
  detail: Type.String({
    description: 'What happened and what to do. Never contains part of a response of the provider.',
    examples: ['The provider identified you. The connection can be activated.'],
  }),
});
export type SsoTestResult = Static<typeof SsoTestResult>;

const LastTest = Type.Object({ ...SsoTestResult.properties, at: Timestamp });

const DefaultRole = Type.Enum(['member', 'admin'], {
  description: 'The base role of members that the connection adds.',
});

/** docs/reference/policy-and-sso.md#connections: a connection to the OpenID Connect provider of an organization. */
export const SsoConnection = Type.Object({
  id: Uuid,
  kind: Type.Literal('oidc'),
  name: Type.String({ examples: ['Example Corp'] }),
  issuer: Type.String({ examples: ['https://login.example.com'] }),
  client_id: Type.String({ examples: ['gatehouse'] }),
  secret_set: Type.Boolean({ description: 'Whether a client secret is stored. It is never shown.' }),
  domains: Type.Array(Type.String(), {
    description: 'The verified domains whose email addresses sign in with this connection. Sorted.',
    examples: [['example.com']],
  }),
  create_members: Type.Boolean({ description: 'Whether users of the provider become members at their first sign-in.' }),
  default_role: DefaultRole,
  role_ids: RoleIds,
  trust_idp_mfa: Type.Boolean({
    description: 'Whether a second factor at the provider (`amr` contains `mfa`) counts as one here.',
  }),
  status: Type.Enum(['draft', 'active'], { description: '`active`: users can sign in with it.' }),
  callback_url: Type.String({
    description: 'The redirect URI to register at the provider, exactly as it is.',
    examples: ['https://id.example.com/api/v1/auth/sso/0198c5b2-7d3f-7c61-9f0e-0a4d7c1b2e3f/callback'],
  }),
  last_test: Type.Union([LastTest, Type.Null()]),
});
export type SsoConnection = Static<typeof SsoConnection>;

/** Oldest first. */
export const SsoConnectionList = Type.Object({ items: Type.Array(SsoConnection) });
export type SsoConnectionList = Static<typeof SsoConnectionList>;

const Issuer = Type.String({
  format: 'token',
  minLength: 1,
  maxLength: LIMITS.sso.issuer,
  description:
    'The issuer URL of the provider, exactly as in its metadata, which are read from `<issuer>/.well-known/openid-configuration`.',
});

const ClientSecret = Type.String({
  format: 'password',
  minLength: 1,
  maxLength: LIMITS.sso.clientSecret,
  description: 'Stored encrypted and never returned. Null or omitted for a public client.',
});

const Domains = Type.Array(Name(LIMITS.sso.domain), {
  maxItems: LIMITS.sso.domains,
  description: 'Verified domains of this organization. A domain belongs to one connection at most.',
});

const OPTIONAL = {
  domains: Type.Optional(Domains),
  create_members: Type.Optional(Type.Boolean()),
  default_role: Type.Optional(DefaultRole),
  role_ids: Type.Optional(RoleIds),
  trust_idp_mfa: Type.Optional(Type.Boolean()),
} as const;

export const NewSsoConnection = Type.Object(
  {
    kind: Type.Optional(Type.Literal('oidc')),
    name: Name(LIMITS.sso.name),
    issuer: Issuer,
    client_id: Token(LIMITS.sso.clientId),
    client_secret: Type.Optional(Nullable(ClientSecret)),
    ...OPTIONAL,
  },
  { examples: [{ name: 'Example Corp', issuer: 'https://login.example.com', client_id: 'gatehouse' }] },
);
export type NewSsoConnection = Static<typeof NewSsoConnection>;

/** Omitted fields are unchanged. */
export const SsoConnectionChange = Type.Object(
  {
    name: Type.Optional(Name(LIMITS.sso.name)),
    issuer: Type.Optional(Issuer),
    client_id: Type.Optional(Token(LIMITS.sso.clientId)),
    client_secret: Type.Optional(
      Nullable(
        Type.String({
          ...ClientSecret,
          description: 'Null removes the secret. A new issuer removes it too, unless a new secret is given with it.',
        }),
      ),
    ),
    ...OPTIONAL,
  },
  { examples: [{ name: 'Example Corp' }] },
);
export type SsoConnectionChange = Static<typeof SsoConnectionChange>;

export const SsoTestStart = Type.Object({
  authorization_url: Type.String({
    description: 'The URL to open in the same browser. The response sets a cookie that the callback requires.',
  }),
});
export type SsoTestStart = Static<typeof SsoTestStart>;
