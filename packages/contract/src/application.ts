import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Name, Nullable, Text, Timestamp, Uuid } from './text.ts';

/** `web` can keep a secret. `spa` runs in a browser, `native` on a device of the user: these have no secret. */
export const APPLICATION_KINDS = ['web', 'spa', 'native'] as const;
export type ApplicationKind = (typeof APPLICATION_KINDS)[number];

/** The scopes of OpenID Connect that every application may list. Others are permissions of the product. */
export const STANDARD_SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'] as const;

export const ApplicationSecret = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  expires_at: Nullable(Type.String({ format: 'date-time', description: 'Null: it does not expire.' })),
});
export type ApplicationSecret = Static<typeof ApplicationSecret>;

/** Other software that signs users in with this service. */
export const Application = Type.Object({
  id: Uuid,
  client_id: Type.String({ examples: ['app_1t7kPq3WnZ8vXc2LmYb0Rd5H'] }),
  name: Type.String({ examples: ['Wiki'] }),
  kind: Type.Enum([...APPLICATION_KINDS]),
  redirect_uris: Type.Array(Type.String(), { examples: [['https://wiki.example.com/callback']] }),
  post_logout_redirect_uris: Type.Array(Type.String()),
  backchannel_logout_uri: Nullable(Type.String()),
  scopes: Type.Array(Type.String(), { description: 'The scopes that it may request. Sorted.' }),
  resources: Type.Array(Type.String(), { description: 'The APIs for which it may request tokens.' }),
  trusted: Type.Boolean({ description: 'Users are not asked for consent.' }),
  device_flow: Type.Boolean(),
  organization_id: Nullable(
    Type.String({ format: 'uuid', description: 'Only members of this organization can use it. Null: all users can.' }),
  ),
  enabled: Type.Boolean(),
  secrets: Type.Array(ApplicationSecret, { description: 'Secrets that have not expired, oldest first.' }),
  created_at: Timestamp,
});
export type Application = Static<typeof Application>;

/** Sorted by name. */
export const ApplicationList = Type.Object({ items: Type.Array(Application) });
export type ApplicationList = Static<typeof ApplicationList>;

const Uri = Text(1, LIMITS.application.uri);
const Uris = Type.Array(Uri, { maxItems: LIMITS.application.uris });

const SETTINGS = {
  redirect_uris: Type.Optional(Uris),
  post_logout_redirect_uris: Type.Optional(Uris),
  backchannel_logout_uri: Type.Optional(Nullable(Uri)),
  scopes: Type.Optional(Type.Array(Text(1, LIMITS.permission.name), { maxItems: LIMITS.permission.count })),
  resources: Type.Optional(Uris),
  trusted: Type.Optional(Type.Boolean()),
  device_flow: Type.Optional(Type.Boolean()),
  organization_id: Type.Optional(Nullable(Uuid)),
  enabled: Type.Optional(Type.Boolean()),
};

/** `scopes` defaults to all standard scopes. `redirect_uris` may be empty only with `device_flow`. */
export const NewApplication = Type.Object(
  { name: Name(LIMITS.application.name), kind: Type.Enum([...APPLICATION_KINDS]), ...SETTINGS },
  { examples: [{ name: 'Wiki', kind: 'web', redirect_uris: ['https://wiki.example.com/callback'] }] },
);
export type NewApplication = Static<typeof NewApplication>;

/** Fields that are left out stay as they are. The kind never changes. */
export const ApplicationChange = Type.Object(
  { name: Type.Optional(Name(LIMITS.application.name)), ...SETTINGS },
  { examples: [{ name: 'Wiki' }] },
);
export type ApplicationChange = Static<typeof ApplicationChange>;

export const NewApplicationSecret = Type.Object({ expires_at: Type.Optional(Nullable(Timestamp)) });
export type NewApplicationSecret = Static<typeof NewApplicationSecret>;

/** Only this response contains the secret. */
export const CreatedApplicationSecret = Type.Object({
  ...ApplicationSecret.properties,
  secret: Type.String({ description: 'Shown only once.' }),
});
export type CreatedApplicationSecret = Static<typeof CreatedApplicationSecret>;

/** An application that may act for the signed-in user. `id` is the id of the application. */
export const ConnectedApplication = Type.Object({
  id: Uuid,
  client_id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.String(), { description: 'Sorted.' }),
  granted_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type ConnectedApplication = Static<typeof ConnectedApplication>;

/** Sorted by name. */
export const ConnectedApplicationList = Type.Object({ items: Type.Array(ConnectedApplication) });
export type ConnectedApplicationList = Static<typeof ConnectedApplicationList>;
