import type { Provider } from '@gatehouse/contract';

/** §2.6: what a row holds beside its secret. Without the required ones it cannot be applied. */
interface ProviderFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export const PROVIDER_FIELDS: Readonly<Record<Provider, ProviderFields>> = {
  email_transport: { required: ['from'], optional: [] },
  oauth_a: { required: ['client_id'], optional: [] },
  oauth_b: { required: ['client_id'], optional: [] },
  oauth_c: { required: ['client_id'], optional: ['tenant'] },
  oauth_d: { required: ['client_id', 'team_id', 'key_id'], optional: [] },
  oauth_e: { required: ['client_id'], optional: [] },
};

export const missingFields = (provider: Provider, given: Readonly<Record<string, string>>): string[] =>
  PROVIDER_FIELDS[provider].required.filter((name) => !given[name]);
