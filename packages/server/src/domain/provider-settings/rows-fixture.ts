import { PROVIDER_INFO, type Provider } from '@gatehouse/contract';
import { type Environment, loadConfig } from '../../platform/config/load.ts';
import { createKeyring, type Keyring } from '../../platform/crypto/keyring.ts';
import { seal } from '../../platform/crypto/seal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { type ProviderRow, upsertProviderRow } from './queries.ts';

export const OLD_KEY = `${'0f'.repeat(31)}1e`;
export const NEW_KEY = `${'a1'.repeat(31)}b2`;
export const LOST_KEY = `${'5c'.repeat(31)}6d`;

export const keyringOf = (key: string, previous?: string): Keyring =>
  createKeyring(Buffer.from(key, 'hex'), previous === undefined ? undefined : Buffer.from(previous, 'hex'));

export const configOf = (environment: Environment) =>
  loadConfig({
    JWT_SECRET: 'a secret for tests, and for nothing else, 0123456789',
    PUBLIC_BASE_URL: 'https://id.example.com',
    ...environment,
  });

const completeConfig = (provider: Provider): Record<string, string> =>
  provider === 'email_transport'
    ? { from: 'stored@example.com' }
    : Object.fromEntries(PROVIDER_INFO[provider].required.map((name) => [name, `stored-${provider.at(-1)}`]));

interface Changes extends Partial<Pick<ProviderRow, 'enabled' | 'public_config' | 'sealed_secret'>> {
  readonly secret?: string;
  /** The key that seals the secret. Default: NEW_KEY. */
  readonly key?: string;
}

export function rowOf(provider: Provider, { secret, key = NEW_KEY, ...changes }: Changes = {}): ProviderRow {
  return {
    provider,
    enabled: true,
    public_config: completeConfig(provider),
    sealed_secret: seal(keyringOf(key), { purpose: 'provider', row: provider }, secret ?? `re_hush of ${provider}`),
    updated_at: new Date('2030-01-01T00:00:00.000Z'),
    ...changes,
  };
}

export const storeRow = async (db: Db, { updated_at: now, ...row }: ProviderRow): Promise<void> => {
  await transact(db, (tx) => upsertProviderRow(tx, { ...row, now }));
};
