import { describe, expect, it } from 'vitest';
import { configOf, NEW_KEY, rowOf } from '../../domain/provider-settings/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { examineCallbacks } from './callbacks.ts';
import { statesOf } from './providers.ts';

const PRODUCTION = { NODE_ENV: 'production' };
const GOOGLE = [rowOf('oauth_a')];
const APPLE = [rowOf('oauth_d')];
const examine = (environment: Environment, rows = GOOGLE, hasAddress = true) => {
  const config = configOf({ CONFIG_ENCRYPTION_KEY: NEW_KEY, ...environment });
  return examineCallbacks(config, statesOf(config, rows).all, hasAddress);
};

describe('doctor: callback URLs', () => {
  it('lists the URL to register for each active provider', () => {
    const rows = [rowOf('oauth_a'), rowOf('oauth_b'), rowOf('oauth_c', { enabled: false }), rowOf('email_transport')];
    expect(examine({ ...PRODUCTION, ROUTE_PREFIX: '/api' }, rows)).toEqual([
      {
        check: 'callback URLs',
        status: 'ok',
        detail: [
          'register exactly these with the providers:',
          'Google  https://id.example.com/api/auth/oauth/oauth_a/callback',
          'GitHub  https://id.example.com/api/auth/oauth/oauth_b/callback',
        ].join('\n'),
      },
    ]);
    expect(examine(PRODUCTION, [])).toEqual([]);
  });

  it('names no URL if PUBLIC_BASE_URL is not set', () => {
    expect(examine(PRODUCTION, GOOGLE, false)).toEqual([
      { check: 'callback URLs', status: 'skipped', detail: 'set PUBLIC_BASE_URL first' },
    ]);
    expect(examine(PRODUCTION, [], false)).toEqual([]);
  });

  it.each<[string, Environment, typeof GOOGLE, RegExp]>([
    ['http', { ...PRODUCTION, PUBLIC_BASE_URL: 'http://id.example.com' }, GOOGLE, /do not accept plain http/],
    ['http in development', { PUBLIC_BASE_URL: 'http://192.168.0.9:8080' }, GOOGLE, /do not accept plain http/],
    ['an IP address', { ...PRODUCTION, PUBLIC_BASE_URL: 'https://192.0.2.7' }, GOOGLE, /no IP addresses/],
    ['localhost', { ...PRODUCTION, PUBLIC_BASE_URL: 'http://localhost:8080' }, GOOGLE, /work on this machine only/],
    ['Apple with localhost', { PUBLIC_BASE_URL: 'http://localhost:8080' }, APPLE, /^Apple accepts only https/],
  ])('warns about %s', (_, environment, rows, fix) => {
    expect(examine(environment, rows)).toMatchObject([{ status: 'warning', fix: expect.stringMatching(fix) }]);
  });

  it('accepts localhost in development for providers that allow it', () => {
    expect(examine({ PUBLIC_BASE_URL: 'http://localhost:8080' })).toMatchObject([{ status: 'ok' }]);
  });
});
