import { PROVIDERS, type ProviderView } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { createMasterKey } from '../../platform/crypto/keyring.ts';
import {
  type Administrator,
  administratorOf,
  createAdministrator,
  forgetAll,
  GOOD,
  KEY,
  OTHER_KEY,
  startWithKey,
} from './integrations-fixture.ts';

let app: TestApp;
let admin: Administrator;
beforeAll(async () => {
  app = await startWithKey();
  admin = await createAdministrator(app);
});
afterAll(() => app.close());
beforeEach(() => forgetAll(app));

const idOf = (key: string) => createMasterKey(Buffer.from(key, 'hex')).id;

async function elsewhere<T>(
  environment: Record<string, string | undefined>,
  look: (there: Administrator, app: TestApp) => Promise<T>,
): Promise<T> {
  const other = await startWithKey({ environment, beside: app });
  try {
    return await look(administratorOf(other, admin), other);
  } finally {
    await other.close();
  }
}

describe('§4.9 GET /admin/integrations', () => {
  it('always lists every provider in the same order; one without a row is disabled and empty', async () => {
    const answer = await admin.list();
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json).toEqual({
      secrets_enabled: true,
      providers: PROVIDERS.map((provider) => ({
        provider,
        name: expect.any(String),
        enabled: false,
        public_config: {},
        secret_set: false,
        key_id: null,
        updated_at: null,
        degraded: false,
        degraded_reason: null,
        source: null,
        callback_url:
          provider === 'email_transport' ? null : `http://localhost:8080/v1/auth/oauth/${provider}/callback`,
      })),
    });
    expect(answer.json.providers.slice(0, 6).map(({ name }: ProviderView) => name)).toEqual([
      'Resend',
      'Google',
      'GitHub',
      'Microsoft',
      'Apple',
      'Facebook',
    ]);
    await admin.put('oauth_e', GOOD.oauth_e);
    await admin.put('oauth_a', GOOD.oauth_a);
    const { providers } = (await admin.list()).json;
    expect(providers.map(({ provider }: ProviderView) => provider)).toEqual([...PROVIDERS]);
    expect(providers.filter(({ enabled }: ProviderView) => enabled)).toHaveLength(2);
  });

  it('§2.5 an active row has every field, and no secret', async () => {
    await admin.put('oauth_c', {
      ...GOOD.oauth_c,
      public_config: { client_id: 'c-client', tenant: 'organizations' },
    });
    expect(await admin.view('oauth_c')).toEqual({
      provider: 'oauth_c',
      name: 'Microsoft',
      enabled: true,
      public_config: { client_id: 'c-client', tenant: 'organizations' },
      secret_set: true,
      key_id: idOf(KEY),
      updated_at: app.clock.now().toISOString(),
      degraded: false,
      degraded_reason: null,
      source: 'stored',
      callback_url: 'http://localhost:8080/v1/auth/oauth/oauth_c/callback',
    });
    expect(idOf(KEY)).toMatch(/^[0-9a-f]+$/);
    expect((await admin.list()).text).not.toContain('secret-of-c');
  });

  it('the list shows a change in the database even if this server was not notified of it', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    await app.deps.db.updateTable('provider_configs').set({ enabled: false }).execute();
    expect(app.deps.providers.find('oauth_a').source).toBe('stored');
    expect(await admin.view('oauth_a')).toMatchObject({ enabled: false, source: null });
  });

  it('the callback URL follows PUBLIC_BASE_URL and ROUTE_PREFIX', async () => {
    const environment = { PUBLIC_BASE_URL: 'https://id.example.com', ROUTE_PREFIX: '/api/id' };
    const other = await startTestApp({ environment });
    try {
      const { access_token } = await createAdministrator(other);
      const answer = await other.server.inject({
        url: '/api/id/admin/integrations',
        headers: { authorization: `Bearer ${access_token}` },
      });
      expect(answer.json().providers[2].callback_url).toBe('https://id.example.com/api/id/auth/oauth/oauth_b/callback');
    } finally {
      await other.close();
    }
  });

  it('a platform viewer can list without a second factor', async () => {
    const viewer = await createAdministrator(app, { platform_role: 'viewer', aal: 'aal1', mfa_verified_at: null });
    expect((await viewer.list()).status).toBe(200);
  });
});

describe('§2.5 secrets_enabled', () => {
  it('is false while CONFIG_ENCRYPTION_KEY is unset', async () => {
    await elsewhere({ CONFIG_ENCRYPTION_KEY: undefined }, async (there) => {
      expect((await there.list()).json.secrets_enabled).toBe(false);
    });
  });
});

describe('§2.5 degraded', () => {
  it('is reported for missing fields', async () => {
    await admin.put('oauth_d', { ...GOOD.oauth_d, public_config: { client_id: 'com.example.id', team_id: 'T' } });
    expect(await admin.view('oauth_d')).toMatchObject({
      enabled: true,
      secret_set: true,
      degraded: true,
      degraded_reason: 'fields_missing',
      source: null,
    });
  });

  it('is reported for a missing secret', async () => {
    await admin.put('oauth_e', { enabled: true, public_config: { client_id: '123' } });
    expect(await admin.view('oauth_e')).toMatchObject({
      secret_set: false,
      key_id: null,
      degraded: true,
      degraded_reason: 'secret_missing',
    });
  });

  it('is reported without an encryption key; secret_set and key_id stay', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    await elsewhere({ CONFIG_ENCRYPTION_KEY: undefined }, async (there) => {
      expect(await there.view('oauth_a')).toMatchObject({
        enabled: true,
        secret_set: true,
        key_id: idOf(KEY),
        degraded: true,
        degraded_reason: 'key_unset',
        source: null,
      });
    });
  });

  it('is reported for an unknown encryption key, and the environment is used instead', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const environment = {
      CONFIG_ENCRYPTION_KEY: OTHER_KEY,
      OAUTH_A_CLIENT_ID: 'from-environment',
      OAUTH_A_CLIENT_SECRET: 'environment-secret',
    };
    await elsewhere(environment, async (there, other) => {
      expect(await there.view('oauth_a')).toMatchObject({
        public_config: GOOD.oauth_a.public_config,
        key_id: idOf(KEY),
        degraded: true,
        degraded_reason: 'key_unknown',
        source: 'environment',
      });
      expect(other.deps.providers.find('oauth_a').settings?.secret).toBe('environment-secret');
    });
  });

  it('the previous key decrypts a secret; a new secret is sealed with the current key', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const environment = { CONFIG_ENCRYPTION_KEY: OTHER_KEY, CONFIG_ENCRYPTION_KEY_PREVIOUS: KEY };
    await elsewhere(environment, async (there) => {
      expect(await there.view('oauth_a')).toMatchObject({ key_id: idOf(KEY), degraded: false, source: 'stored' });
      const { json } = await there.put('oauth_a', GOOD.oauth_a);
      expect(json).toMatchObject({ key_id: idOf(OTHER_KEY), degraded: false });
    });
  });

  it('a sealed secret moved to the row of another provider cannot be decrypted', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    await admin.put('oauth_b', GOOD.oauth_b);
    const { db } = app.deps;
    await db
      .updateTable('provider_configs')
      .set((eb) => ({
        sealed_secret: eb
          .selectFrom('provider_configs as a')
          .select('a.sealed_secret')
          .where('a.provider', '=', 'oauth_a'),
      }))
      .where('provider', '=', 'oauth_b')
      .execute();
    expect(await admin.view('oauth_b')).toMatchObject({ degraded: true, degraded_reason: 'secret_unreadable' });
    expect(await admin.view('oauth_a')).toMatchObject({ degraded: false });
  });

  it('is never reported for a disabled row', async () => {
    await admin.put('oauth_c', { enabled: false });
    expect(await admin.view('oauth_c')).toMatchObject({ degraded: false, degraded_reason: null, source: null });
  });
});

describe('§2.6 credentials from the environment', () => {
  const environment = {
    OAUTH_A_CLIENT_ID: 'from-environment',
    OAUTH_A_CLIENT_SECRET: 'environment-secret',
    OAUTH_B_CLIENT_ID: 'without-a-secret',
    EMAIL_API_KEY: 're_environment',
    EMAIL_FROM: 'Example <env@example.com>',
  };

  it('apply without a row; their values are not shown', async () => {
    await elsewhere(environment, async (there) => {
      const { json, text } = await there.list();
      expect(json.providers.map(({ provider, source }: ProviderView) => [provider, source])).toEqual(
        PROVIDERS.map((id) => [id, ['email_transport', 'oauth_a'].includes(id) ? 'environment' : null]),
      );
      expect(json.providers[1]).toMatchObject({
        enabled: false,
        public_config: {},
        secret_set: false,
        updated_at: null,
      });
      for (const value of Object.values(environment)) expect(text).not.toContain(value);
    });
  });

  it('are replaced by an active row', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    await elsewhere(environment, async (there, other) => {
      expect((await there.view('oauth_a')).source).toBe('stored');
      expect(other.deps.providers.find('oauth_a').settings?.secret).toBe('secret-of-a');
    });
  });

  it('a disabled row disables third-party sign-in, but not mail that is configured in the environment', async () => {
    await admin.put('oauth_a', { ...GOOD.oauth_a, enabled: false });
    await admin.put('email_transport', { ...GOOD.email_transport, enabled: false });
    await elsewhere(environment, async (there) => {
      expect(await there.view('oauth_a')).toMatchObject({ enabled: false, degraded: false, source: null });
      expect(await there.view('email_transport')).toMatchObject({
        enabled: false,
        degraded: false,
        source: 'environment',
      });
    });
  });
});
