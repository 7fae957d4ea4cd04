import { PROVIDER_INFO, type Provider } from '@gatehouse/contract';

/** §2.6: returns the required fields that are missing or empty. A configuration without them cannot be used. */
export const missingFields = (provider: Provider, given: Readonly<Record<string, string>>): string[] =>
  PROVIDER_INFO[provider].required.filter((name) => !given[name]);
