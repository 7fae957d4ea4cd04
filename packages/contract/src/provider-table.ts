export type ProviderField = 'client_id' | 'from' | 'key_id' | 'team_id' | 'tenant';

interface ProviderEntry {
  /** §2.6: the id in the API. */
  readonly id: string;
  /** The label that users see. */
  readonly name: string;
  /** Fields of `public_config` without which the provider cannot be used. */
  readonly required: readonly ProviderField[];
  readonly optional?: readonly ProviderField[];
  /** `pem`: the secret is a private key in PEM format, which has several lines. */
  readonly secret?: 'pem';
  /** §2.6: `OAUTH_…_CLIENT_ID` and `OAUTH_…_CLIENT_SECRET` apply if no row is stored. */
  readonly environment?: true;
}

/**
 * §2.6: the providers, in the order of the list response. Every other list of providers is derived from this table.
 */
export const PROVIDER_TABLE = {
  resend: { id: 'email_transport', name: 'Resend', required: ['from'] },
  google: { id: 'oauth_a', name: 'Google', required: ['client_id'], environment: true },
  github: { id: 'oauth_b', name: 'GitHub', required: ['client_id'], environment: true },
  microsoft: { id: 'oauth_c', name: 'Microsoft', required: ['client_id'], optional: ['tenant'] },
  apple: { id: 'oauth_d', name: 'Apple', required: ['client_id', 'team_id', 'key_id'], secret: 'pem' },
  facebook: { id: 'oauth_e', name: 'Facebook', required: ['client_id'] },
} as const satisfies Record<string, ProviderEntry>;

export type ProviderKey = keyof typeof PROVIDER_TABLE;
type Entry = (typeof PROVIDER_TABLE)[ProviderKey];

/** The id of a provider that an administrator can configure. */
export type Provider = Entry['id'];
export const PROVIDERS = Object.values(PROVIDER_TABLE).map(({ id }) => id);

export type OAuthProvider = Exclude<Provider, 'email_transport'>;
export const OAUTH_PROVIDERS = PROVIDERS.filter((id) => id !== 'email_transport');

/** The OAuth providers that can be configured by environment variables. */
export type EnvironmentProvider = Extract<Entry, { environment: true }>['id'];
export const ENVIRONMENT_PROVIDERS = Object.values(PROVIDER_TABLE).flatMap((entry) =>
  'environment' in entry ? [entry.id] : [],
);

export interface ProviderInfo extends Omit<ProviderEntry, 'id'> {
  readonly id: Provider;
  readonly key: ProviderKey;
}

export const PROVIDER_INFO = Object.fromEntries(
  Object.entries(PROVIDER_TABLE).map(([key, entry]) => [entry.id, { ...entry, key }]),
) as unknown as Readonly<Record<Provider, ProviderInfo>>;

export const PROVIDER_NAMES = Object.fromEntries(
  Object.values(PROVIDER_TABLE).map(({ id, name }) => [id, name]),
) as Readonly<Record<Provider, string>>;
