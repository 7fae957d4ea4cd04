import { type DegradedReason, PROVIDER_NAMES, PROVIDERS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import { configOf, keyringOf, LOST_KEY, NEW_KEY, OLD_KEY, rowOf } from '../../domain/provider-settings/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { examineMail, examineProviders, examineSealing } from './providers.ts';

const KEY = { CONFIG_ENCRYPTION_KEY: NEW_KEY };
const BOTH = { ...KEY, CONFIG_ENCRYPTION_KEY_PREVIOUS: OLD_KEY };
const GITHUB = { OAUTH_B_CLIENT_ID: 'env-b', OAUTH_B_CLIENT_SECRET: 'env secret b' };
const API = { EMAIL_API_KEY: 're_env', EMAIL_FROM: 'env@example.com' };
const PRODUCTION = { NODE_ENV: 'production' };

const examine = (environment: Environment, rows?: readonly ProviderRow[]) => {
  const config = configOf(environment);
  const findings = [examineSealing(config, rows), examineMail(config, rows), ...examineProviders(config, rows, true)];
  expect(JSON.stringify(findings)).not.toMatch(/re_hush|re_env|env secret/);
  const find = (check: string) => findings.find((finding) => finding.check === check)!;
  return { findings, key: find('configuration key'), mail: find('mail'), providers: find('providers'), find };
};

describe('doctor, §1: whether the configuration key is set', () => {
  it('warns if CONFIG_ENCRYPTION_KEY is not set', () => {
    const { key } = examine({}, []);
    expect(key.status).toBe('warning');
    expect(key.fix).toContain('Set CONFIG_ENCRYPTION_KEY, for example to the output of');
    // A new key cannot decrypt existing secrets.
    const { id } = keyringOf(NEW_KEY).current;
    expect(examine({}, [rowOf('oauth_a')]).key.fix).toContain(`encrypts the stored secrets (id ${id})`);
  });

  it('reports the id of CONFIG_ENCRYPTION_KEY, which is also in the rows sealed with this key', () => {
    const { key } = examine(KEY, [rowOf('oauth_a')]);
    expect(key).toMatchObject({ status: 'ok' });
    expect(key.detail).toContain(keyringOf(NEW_KEY).current.id);
  });

  it('counts secrets that are still sealed with the previous key, including those of disabled providers', () => {
    const rows = [
      rowOf('oauth_a', { key: OLD_KEY }),
      rowOf('oauth_b', { key: OLD_KEY, enabled: false }),
      rowOf('oauth_c'),
      rowOf('oauth_e', { sealed_secret: null }),
    ];
    expect(examine(BOTH, rows).key).toMatchObject({
      status: 'warning',
      detail: '2 provider secrets still encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS',
      fix: 'Run `npx gatehouse config-key rotate` before you unset it.',
    });
    const { key } = examine(BOTH, rows.slice(2));
    expect(key.status).toBe('ok');
    expect(key.detail).toContain('can be unset');
  });

  it('without a database, reports only the keys of the environment', () => {
    const { key } = examine(BOTH);
    expect(key.status).toBe('ok');
    expect(key.detail).not.toContain('PREVIOUS');
  });
});

describe('doctor, §1: which providers are enabled', () => {
  it('lists providers by display name, with their source', () => {
    const rows = [rowOf('oauth_a'), rowOf('oauth_c', { enabled: false })];
    expect(examine({ ...KEY, ...GITHUB }, rows).providers).toMatchObject({
      status: 'ok',
      detail: 'enabled: Google (stored), GitHub (environment)',
    });
  });

  it('ignores a provider that only a newer version knows', () => {
    const row = { ...rowOf('oauth_a'), provider: 'of_tomorrow' as never };
    expect(examine(KEY, [row]).findings.map(({ check }) => check)).toEqual(['configuration key', 'mail', 'providers']);
  });

  it('is ok if no provider is enabled', () =>
    expect(examine({}, []).providers).toMatchObject({ status: 'ok', detail: 'none is enabled' }));

  it('lists the providers of the environment without a database, and says that the list is incomplete', () => {
    const { status, detail } = examine(GITHUB).providers;
    expect(status).toBe('skipped');
    expect(detail).toContain('GitHub (environment)');
    expect(examine({}).providers.detail).toContain('none');
  });
});

describe('doctor: mail', () => {
  const stored = [rowOf('email_transport')];
  it.each([
    ['ok', 'with the stored key, from stored@example.com', { ...KEY, ...API, ...PRODUCTION }, stored],
    ['ok', 'with EMAIL_API_KEY, from env@example.com', { ...API, ...PRODUCTION }, stored],
    ['ok', 'with EMAIL_API_KEY, from env@example.com', { ...API, ...PRODUCTION }, undefined],
    ['ok', 'through the server of SMTP_URL', { SMTP_URL: 'smtp://mail.example.com', ...PRODUCTION }, []],
    ['ok', 'mails are written as files', {}, []],
    ['warning', 'no transport', PRODUCTION, []],
    ['warning', 'no transport', PRODUCTION, stored],
    ['skipped', 'the stored configuration cannot be read', PRODUCTION, undefined],
  ] as const)('the finding about mail is %s: %s', (status, detail, environment, rows) => {
    const { mail } = examine(environment, rows);
    expect(mail.status).toBe(status);
    expect(mail.detail).toContain(detail);
  });
});

describe('doctor: a stored row that cannot be applied', () => {
  const cases: [DegradedReason, ProviderRow, Environment, RegExp, RegExp][] = [
    [
      'fields_missing',
      rowOf('oauth_d', { public_config: { client_id: 'x' } }),
      KEY,
      /team_id, key_id missing; it is not used/,
      /with team_id, key_id.*PUT \/v1\/admin\/integrations\/oauth_d/,
    ],
    [
      'secret_missing',
      rowOf('oauth_b', { sealed_secret: null }),
      KEY,
      /no secret is stored/,
      /Save its secret.*oauth_b/,
    ],
    [
      'key_unset',
      rowOf('oauth_e'),
      {},
      /CONFIG_ENCRYPTION_KEY is not set/,
      new RegExp(`Set CONFIG_ENCRYPTION_KEY to the key with the id ${keyringOf(NEW_KEY).current.id}`),
    ],
    [
      'key_unknown',
      rowOf('oauth_a', { key: LOST_KEY }),
      BOTH,
      new RegExp(`with another key \\(id ${keyringOf(LOST_KEY).current.id}\\)`),
      /CONFIG_ENCRYPTION_KEY_PREVIOUS to the old key and run `npx gatehouse config-key rotate`, or enter the secret again/,
    ],
    [
      'secret_unreadable',
      rowOf('oauth_a', { sealed_secret: rowOf('oauth_b').sealed_secret }),
      KEY,
      /corrupted, or was copied/,
      /Enter the secret again.*oauth_a/,
    ],
  ];

  it.each(cases)('%s: reports the reason and the remedy', (_, row, environment, detail, fix) => {
    const { findings } = examine(environment, [row]);
    const [finding, ...more] = findings.filter(({ check }) => check.startsWith('provider '));
    expect(more).toEqual([]);
    expect(finding?.status).toBe('warning');
    expect(finding?.detail).toMatch(detail);
    expect(finding?.fix).toMatch(fix);
  });

  it('reports that the environment is used instead of a stored row that cannot be applied', () => {
    const { find } = examine({ ...KEY, ...GITHUB }, [rowOf('oauth_b', { key: LOST_KEY })]);
    expect(find('provider GitHub').detail).toContain('the environment is used instead');
  });

  it('reports every degraded row, but no valid or disabled one', () => {
    const broken = PROVIDERS.map((provider) => rowOf(provider, { sealed_secret: null }));
    const names = (rows: readonly ProviderRow[]) =>
      examine(KEY, rows).findings.flatMap(({ check }) => /^provider (.+)/.exec(check)?.[1] ?? []);
    expect(names(broken)).toEqual(PROVIDERS.map((provider) => PROVIDER_NAMES[provider]));
    expect(names([rowOf('oauth_a'), rowOf('oauth_b', { enabled: false, sealed_secret: null })])).toEqual([]);
  });
});
