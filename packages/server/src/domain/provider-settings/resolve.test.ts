import { type DegradedReason, OAUTH_PROVIDERS, PROVIDER_INFO, PROVIDERS, type Provider } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../platform/config/load.ts';
import type { ProviderRow } from './queries.ts';
import { resolveProvider, resolveProviders } from './resolve.ts';
import { configOf, LOST_KEY, NEW_KEY, OLD_KEY, rowOf } from './rows-fixture.ts';
import { configKeyring } from './secret.ts';

const ENVIRONMENT = {
  EMAIL_API_KEY: 're_env',
  EMAIL_FROM: 'Env <env@example.com>',
  OAUTH_A_CLIENT_ID: 'env-a',
  OAUTH_A_CLIENT_SECRET: 'env secret a',
  OAUTH_B_CLIENT_ID: 'env-b',
  OAUTH_B_CLIENT_SECRET: 'env secret b',
};
const KEY = { CONFIG_ENCRYPTION_KEY: NEW_KEY };
const BOTH = { ...KEY, CONFIG_ENCRYPTION_KEY_PREVIOUS: OLD_KEY };

const resolve = (provider: Provider, row: ProviderRow | undefined, environment: Environment) => {
  const config = configOf(environment);
  return resolveProvider(provider, row, { config, keyring: configKeyring(config) });
};

const WITH_FALLBACK = [
  ['email_transport', { public_config: { from: 'Env <env@example.com>' }, secret: 're_env' }],
  ['oauth_a', { public_config: { client_id: 'env-a' }, secret: 'env secret a' }],
  ['oauth_b', { public_config: { client_id: 'env-b' }, secret: 'env secret b' }],
] as const;
const WITHOUT_FALLBACK = OAUTH_PROVIDERS.filter((provider) => provider !== 'oauth_a' && provider !== 'oauth_b');

const off = (provider: Provider, degraded: DegradedReason | null = null) => ({
  provider,
  settings: undefined,
  source: null,
  degraded,
});

describe('§2.6 without a row', () => {
  it.each(WITH_FALLBACK)('%s uses the environment', (provider, settings) => {
    expect(resolve(provider, undefined, ENVIRONMENT)).toEqual({
      provider,
      settings,
      source: 'environment',
      degraded: null,
    });
  });

  it.each(WITHOUT_FALLBACK)('%s, which has no settings in the environment, is off', (provider) => {
    expect(resolve(provider, undefined, { ...ENVIRONMENT, ...KEY })).toEqual(off(provider));
  });

  it.each([
    ['email_transport', 'EMAIL_API_KEY'],
    ['email_transport', 'EMAIL_FROM'],
    ['oauth_a', 'OAUTH_A_CLIENT_ID'],
    ['oauth_a', 'OAUTH_A_CLIENT_SECRET'],
    ['oauth_b', 'OAUTH_B_CLIENT_ID'],
    ['oauth_b', 'OAUTH_B_CLIENT_SECRET'],
  ] as const)('%s is off without %s in the environment', (provider, name) => {
    expect(resolve(provider, undefined, { ...ENVIRONMENT, [name]: '' })).toEqual(off(provider));
  });
});

describe('§2.6 with an enabled row', () => {
  it.each(PROVIDERS)('%s: the row takes precedence over the environment', (provider) => {
    const row = rowOf(provider);
    const stored = { public_config: row.public_config, secret: `re_hush of ${provider}` };
    const expected = { provider, settings: stored, source: 'stored', degraded: null };
    expect(resolve(provider, row, { ...ENVIRONMENT, ...KEY })).toEqual(expected);
    expect(resolve(provider, row, KEY)).toEqual(expected);
  });

  it('unseals a secret that was sealed with the previous key', () => {
    expect(resolve('oauth_a', rowOf('oauth_a', { key: OLD_KEY }), BOTH)).toMatchObject({
      settings: { secret: 're_hush of oauth_a' },
      source: 'stored',
    });
  });

  it('an enabled row does not need its optional fields', () => {
    expect(resolve('oauth_c', rowOf('oauth_c'), KEY).settings?.public_config).toEqual({ client_id: 'stored-c' });
  });
});

describe('§2.5 degraded', () => {
  const moved = (provider: Provider) => {
    const other = provider === 'oauth_a' ? 'oauth_b' : 'oauth_a';
    return rowOf(provider, { sealed_secret: rowOf(other).sealed_secret });
  };
  const damaged = (provider: Provider) =>
    rowOf(provider, { sealed_secret: rowOf(provider).sealed_secret!.replace(/.{6}$/, 'AAAAAA') });
  const cases: [string, DegradedReason, (provider: Provider) => ProviderRow, Environment][] = [
    ['a field is missing', 'fields_missing', (provider) => rowOf(provider, { public_config: {} }), KEY],
    ['there is no secret', 'secret_missing', (provider) => rowOf(provider, { sealed_secret: null }), KEY],
    ['the key is not set', 'key_unset', rowOf, {}],
    ['only the previous key is set', 'key_unset', rowOf, { CONFIG_ENCRYPTION_KEY_PREVIOUS: NEW_KEY }],
    ['it was sealed under neither key', 'key_unknown', (provider) => rowOf(provider, { key: LOST_KEY }), BOTH],
    ['the secret is that of another row', 'secret_unreadable', moved, KEY],
    ['the secret was damaged', 'secret_unreadable', damaged, KEY],
    ['the secret is not a sealed value', 'key_unknown', (provider) => rowOf(provider, { sealed_secret: '' }), KEY],
  ];

  describe.each(cases)('%s', (_, reason, make, keys) => {
    it.each(WITH_FALLBACK)('a degraded %s uses the settings of the environment', (provider, settings) => {
      const state = resolve(provider, make(provider), { ...ENVIRONMENT, ...keys });
      expect(state).toEqual({ provider, settings, source: 'environment', degraded: reason });
    });

    it.each(PROVIDERS)('a degraded %s is off without settings in the environment', (provider) => {
      expect(resolve(provider, make(provider), keys)).toEqual(off(provider, reason));
    });
  });

  const required = PROVIDERS.flatMap((id) => PROVIDER_INFO[id].required.map((name) => [id, name] as const));
  it.each(required)('%s is degraded if %s is missing or empty', (provider, field) => {
    const { [field]: _, ...rest } = rowOf(provider).public_config;
    expect(resolve(provider, rowOf(provider, { public_config: rest }), KEY).degraded).toBe('fields_missing');
    const empty = rowOf(provider, { public_config: { ...rest, [field]: '' } });
    expect(resolve(provider, empty, KEY).degraded).toBe('fields_missing');
  });
});

describe('a disabled row', () => {
  it.each(OAUTH_PROVIDERS)('with a disabled row, %s is off, whatever the environment says', (provider) => {
    const environment = { ...ENVIRONMENT, ...KEY };
    expect(resolve(provider, rowOf(provider, { enabled: false }), environment)).toEqual(off(provider));
  });

  it('with a disabled row, mail is sent with the settings of the environment', () => {
    const row = rowOf('email_transport', { enabled: false });
    expect(resolve('email_transport', row, { ...ENVIRONMENT, ...KEY })).toMatchObject({
      settings: { secret: 're_env' },
      source: 'environment',
      degraded: null,
    });
    expect(resolve('email_transport', row, KEY)).toEqual(off('email_transport'));
  });

  it.each(PROVIDERS)('with a disabled row, %s is not degraded, even if the row could not be applied', (provider) => {
    const row = rowOf(provider, { enabled: false, public_config: {}, key: LOST_KEY });
    expect(resolve(provider, row, KEY)).toEqual(off(provider));
  });
});

describe('all providers', () => {
  it('are resolved, each with its own row or without one', () => {
    const config = configOf({ ...ENVIRONMENT, ...KEY });
    const rows = [rowOf('oauth_d'), rowOf('oauth_a', { enabled: false })];
    const states = resolveProviders(rows, { config, keyring: configKeyring(config) });
    expect([...states.keys()]).toEqual(PROVIDERS);
    const inForce = [...states.values()].filter(({ source }) => source !== null);
    expect(inForce.map(({ provider, source }) => [provider, source])).toEqual([
      ['email_transport', 'environment'],
      ['oauth_b', 'environment'],
      ['oauth_d', 'stored'],
    ]);
  });
});
