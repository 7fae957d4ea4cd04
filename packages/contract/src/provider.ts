import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { PROVIDERS } from './provider-table.ts';
import { Nullable, Timestamp } from './text.ts';

/** Why a stored configuration that is enabled cannot be used. */
export const DEGRADED_REASONS = [
  'fields_missing',
  'secret_missing',
  'key_unset',
  'key_unknown',
  'secret_unreadable',
] as const;
export type DegradedReason = (typeof DEGRADED_REASONS)[number];

/** §2.5, with `name`, `source`, `degraded_reason` and `callback_url` added. */
export const ProviderView = Type.Object({
  provider: Type.Enum([...PROVIDERS]),
  name: Type.String({ description: 'The display name.' }),
  enabled: Type.Boolean({ description: 'Whether the stored configuration is enabled.' }),
  public_config: Type.Record(Type.String(), Type.String()),
  secret_set: Type.Boolean(),
  key_id: Nullable(Type.String({ description: 'The ID of the key that encrypts the secret.' })),
  updated_at: Nullable(Timestamp),
  degraded: Type.Boolean({ description: 'The configuration is enabled but cannot be used.' }),
  degraded_reason: Nullable(Type.Enum([...DEGRADED_REASONS])),
  source: Nullable(
    Type.Enum(['stored', 'environment'], {
      description: 'The source of the active configuration; null if the provider is off.',
    }),
  ),
  callback_url: Nullable(Type.String({ description: 'Register exactly this URL with the provider.' })),
});
export type ProviderView = Static<typeof ProviderView>;

export const ProviderList = Type.Object({
  secrets_enabled: Type.Boolean({ description: 'Whether CONFIG_ENCRYPTION_KEY is set.' }),
  providers: Type.Array(ProviderView),
});
export type ProviderList = Static<typeof ProviderList>;

/** §4.9: the body of a PUT. The fields of `public_config` and the form of the secret depend on the provider. */
export const ProviderChange = Type.Object(
  {
    enabled: Type.Boolean(),
    public_config: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Replaces all stored fields. Unknown fields are ignored.',
      }),
    ),
    secret: Type.Optional(
      Nullable(
        Type.String({
          format: 'password',
          description: `At most ${LIMITS.providerSecret.maxBytes} bytes. Absent or null: the stored secret is kept.`,
        }),
      ),
    ),
    clear_secret: Type.Optional(Type.Boolean()),
  },
  { examples: [{ enabled: true, public_config: { client_id: 'the client id' }, secret: 'the client secret' }] },
);
export type ProviderChange = Static<typeof ProviderChange>;

export const ProbeResult = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
export type ProbeResult = Static<typeof ProbeResult>;
