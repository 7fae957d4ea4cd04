import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { PermissionName, RoleIds, RoleSummary } from './role.ts';
import { Name, Nullable, Text, Timestamp, Token, Uuid } from './text.ts';

const Description = Text(0, LIMITS.machine.description);

/** An account of a program in one organization. It signs in with its API keys only. */
export const ServiceAccount = Type.Object({
  id: Uuid,
  organization_id: Uuid,
  name: Type.String({ examples: ['Nightly import'] }),
  description: Nullable(Type.String()),
  roles: Type.Array(RoleSummary, { description: 'What it may do besides `org.read` and `members.list`.' }),
  disabled: Type.Boolean({ description: 'True: its keys and their tokens are rejected.' }),
  created_by: Type.String({ format: 'uuid', description: 'The user who created it.' }),
  created_at: Timestamp,
  last_used_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When one of its keys was last used, to about a minute. Null: never.',
    }),
  ),
});
export type ServiceAccount = Static<typeof ServiceAccount>;

/** Sorted by name. */
export const ServiceAccountList = Type.Object({ items: Type.Array(ServiceAccount) });
export type ServiceAccountList = Static<typeof ServiceAccountList>;

export const NewServiceAccount = Type.Object(
  {
    name: Name(LIMITS.machine.name),
    description: Type.Optional(Nullable(Description)),
    role_ids: Type.Optional(RoleIds),
  },
  { examples: [{ name: 'Nightly import' }] },
);
export type NewServiceAccount = Static<typeof NewServiceAccount>;

/** Fields that are left out stay as they are. */
export const ServiceAccountChange = Type.Object(
  {
    name: Type.Optional(Name(LIMITS.machine.name)),
    description: Type.Optional(Nullable(Description)),
    role_ids: Type.Optional(RoleIds),
    disabled: Type.Optional(
      Type.Boolean({
        description: 'True: its keys and their tokens are rejected at once. False: its keys work again.',
      }),
    ),
  },
  { examples: [{ disabled: true }] },
);
export type ServiceAccountChange = Static<typeof ServiceAccountChange>;

const KEY = {
  id: Uuid,
  name: Type.String({ examples: ['Production'] }),
  prefix: Type.String({
    description: 'The public part of the key, and the client id at the token endpoint.',
    examples: ['gth_3fN9xQ2LmZ0a'],
  }),
  scopes: Nullable(
    Type.Array(Type.String(), {
      description: 'The permissions that the key is limited to. Sorted. Null: everything the account may do.',
      examples: [['members.list']],
    }),
  ),
  allowed_ips: Type.Array(Type.String(), {
    description: 'Addresses and networks from which the key may be used. Empty: all.',
  }),
  allowed_referrers: Type.Array(Type.String(), {
    description: 'Origins whose pages may use the key, according to `Origin` or `Referer`. Empty: all.',
  }),
  created_at: Timestamp,
  expires_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'When the key expires: the earlier of its own expiry and the end of the overlap after a rotation. Null: never.',
    }),
  ),
  last_used_at: Nullable(
    Type.String({ format: 'date-time', description: 'When the key was last used, to about a minute. Null: never.' }),
  ),
} as const;

/** A key without its secret part. */
export const ApiKey = Type.Object(KEY);
export type ApiKey = Static<typeof ApiKey>;

/** The keys that have not ended, newest first. */
export const ApiKeyList = Type.Object({ items: Type.Array(ApiKey) });
export type ApiKeyList = Static<typeof ApiKeyList>;

/** The response that shows the key itself, once. */
export const CreatedApiKey = Type.Object({
  ...KEY,
  key: Type.String({ description: 'The key itself. It is shown only in this response.' }),
});
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const NewApiKey = Type.Object(
  {
    name: Name(LIMITS.machine.name),
    scopes: Type.Optional(
      Nullable(
        Type.Array(PermissionName, {
          minItems: 1,
          maxItems: LIMITS.machine.listed,
          description: 'Permissions of the account. Left out: all that the account has at the time of use.',
        }),
      ),
    ),
    expires_at: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'In the future. Left out: the key does not expire.' })),
    ),
    allowed_ips: Type.Optional(
      Type.Array(Token(100), {
        maxItems: LIMITS.machine.listed,
        description: 'Addresses, or networks in CIDR notation.',
        examples: [['192.0.2.7', '2001:db8::/32']],
      }),
    ),
    allowed_referrers: Type.Optional(
      Type.Array(Token(300), {
        maxItems: LIMITS.machine.listed,
        description: 'Origins: scheme, host and port.',
        examples: [['https://app.example.com']],
      }),
    ),
  },
  { examples: [{ name: 'Production' }] },
);
export type NewApiKey = Static<typeof NewApiKey>;

export const ApiKeyRotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.machine.overlap,
        description: 'How long the old key still works. Left out: it ends at once.',
      }),
    ),
  },
  { examples: [{ overlap_seconds: 3600 }] },
);
export type ApiKeyRotation = Static<typeof ApiKeyRotation>;
