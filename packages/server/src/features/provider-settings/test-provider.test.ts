import { generateKeyPairSync } from 'node:crypto';
import { NIL_UUID, OAUTH_PROVIDERS, PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness.ts';
import { freePort } from '../../../test/ports.ts';
import { auditOf } from '../../../test/records.ts';
import { createMasterKey } from '../../platform/crypto/keyring.ts';
import { type DomainsMode, type FakeDomains, startFakeDomains, UPSTREAM_TEXT } from './domains-fixture.ts';
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

let domains: FakeDomains;
let app: TestApp;
let admin: Administrator;
beforeAll(async () => {
  domains = await startFakeDomains();
  app = await startWithKey({ environment: { EMAIL_API_BASE_URL: `${domains.url}/` } });
  admin = await createAdministrator(app);
});
afterAll(async () => {
  await app.close();
  await domains.close();
});
beforeEach(async () => {
  await forgetAll(app);
  domains.requests.length = 0;
  domains.mode = 200;
});

const pem = (type: 'ec' | 'rsa' | 'ed25519', options: object = {}, passphrase?: string): string => {
  // biome-ignore lint/suspicious/noExplicitAny: one call for several kinds of key
  const { privateKey } = generateKeyPairSync(type as any, options as any) as any;
  return privateKey.export({ type: 'pkcs8', format: 'pem', ...(passphrase && { cipher: 'aes-256-cbc', passphrase }) });
};
const P256 = { namedCurve: 'P-256' };

/** Expects 200, without any stored value or text of the provider in the response. */
async function probe(provider: (typeof PROVIDERS)[number], who = admin) {
  const answer = await who.test(provider);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.json).sort()).toEqual(['detail', 'ok']);
  const { public_config, secret } = GOOD[provider];
  for (const word of [UPSTREAM_TEXT, secret.trim(), ...Object.values(public_config ?? {})]) {
    expect(answer.json.detail).not.toContain(word);
  }
  return answer.json as { ok: boolean; detail: string };
}

async function probeElsewhere(
  provider: (typeof PROVIDERS)[number],
  environment: Record<string, string | undefined>,
): Promise<{ ok: boolean; detail: string }> {
  const other = await startWithKey({ environment, beside: app });
  try {
    return await probe(provider, administratorOf(other, admin));
  } finally {
    await other.close();
  }
}

describe('§4.9 POST /admin/integrations/email_transport/test', () => {
  beforeEach(() => admin.put('email_transport', GOOD.email_transport));

  it('the test of the mail API requests the list of domains with the stored key', async () => {
    expect(await probe('email_transport')).toEqual({
      ok: true,
      detail: 'the provider accepts the key. The domain of the sender address must be verified there',
    });
    expect(domains.requests).toEqual([{ method: 'GET', path: '/domains', authorization: 'Bearer re_the-mail-key' }]);
  });

  it.each([200, 201, 204, 299])('HTTP %i from the mail API is ok', async (mode) => {
    domains.mode = mode;
    expect((await probe('email_transport')).ok).toBe(true);
  });

  it.each<[DomainsMode, RegExp]>([
    [400, /rejected the key \(HTTP 400\)/],
    [401, /rejected the key \(HTTP 401\).*save another.*limited to sending is refused here as well/],
    [403, /rejected the key \(HTTP 403\).*save another.*limited to sending is refused here as well/],
    [404, /HTTP 404.*check EMAIL_API_BASE_URL/],
    [429, /HTTP 429.*again in a minute/],
    [500, /HTTP 500.*again later/],
    [503, /HTTP 503.*again later/],
    ['huge', /check EMAIL_API_BASE_URL/],
    ['cut', /unreachable.*check EMAIL_API_BASE_URL/],
  ])('the response %s from the mail API is not ok', async (mode, detail) => {
    domains.mode = mode;
    expect(await probe('email_transport')).toEqual({ ok: false, detail: expect.stringMatching(detail) });
  });

  it.each([301, 302, 307])('the test does not follow a redirect (%i)', async (mode) => {
    domains.mode = mode;
    const { ok, detail } = await probe('email_transport');
    expect(ok).toBe(false);
    expect(detail).toContain(`HTTP ${mode}`);
    expect(domains.requests.map(({ path }) => path)).toEqual(['/domains']);
  });

  it('an unreachable mail API is not ok', async () => {
    const EMAIL_API_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    const { ok, detail } = await probeElsewhere('email_transport', { EMAIL_API_BASE_URL });
    expect(ok).toBe(false);
    expect(detail).toMatch(/unreachable.*check EMAIL_API_BASE_URL.*ECONNREFUSED/);
  });

  it('the test stops after five seconds without a complete response', async () => {
    domains.mode = 'hang';
    const hanging = probe('email_transport');
    await expect.poll(() => domains.requests.length).toBe(1);
    domains.mode = 'stall';
    const both = await Promise.all([hanging, probe('email_transport')]);
    for (const { ok, detail } of both) {
      expect(ok).toBe(false);
      expect(detail).toMatch(/unreachable.*5 seconds/);
    }
  });

  it('the test sends no request if nothing is configured', async () => {
    await admin.put('email_transport', { ...GOOD.email_transport, secret: null, clear_secret: true });
    const detail = 'not configured (no key saved): save it first';
    expect(await probe('email_transport')).toEqual({ ok: false, detail });
    await forgetAll(app);
    expect(await probe('email_transport')).toEqual({ ok: false, detail });
    // Credentials from the environment are not tested.
    const environment = { EMAIL_API_KEY: 're_environment', EMAIL_FROM: 'a@example.com' };
    expect(await probeElsewhere('email_transport', environment)).toEqual({ ok: false, detail });
    expect(domains.requests).toEqual([]);
  });

  it('a key without a sender is tested', async () => {
    await admin.put('email_transport', { enabled: true });
    const { ok, detail } = await probe('email_transport');
    expect(ok).toBe(true);
    expect(detail).toMatch(/Save a sender address/);
  });

  it('a disabled configuration is tested', async () => {
    await admin.put('email_transport', { ...GOOD.email_transport, enabled: false });
    const { ok, detail } = await probe('email_transport');
    expect(ok).toBe(true);
    expect(detail).toMatch(/disabled: enable it/);
    expect(domains.requests).toHaveLength(1);
  });
});

describe('§4.9 POST /admin/integrations/:provider/test, the local check', () => {
  it.each(['oauth_a', 'oauth_b', 'oauth_c', 'oauth_e'] as const)('%s is ok with id and secret', async (provider) => {
    await admin.put(provider, GOOD[provider]);
    const { ok, detail } = await probe(provider);
    expect(ok).toBe(true);
    expect(detail).toContain(`Register http://localhost:8080/v1/auth/oauth/${provider}/callback`);
    expect(detail).toContain('at the first sign-in');
    expect(detail.includes('email permission')).toBe(provider === 'oauth_e');
    await admin.put(provider, { ...GOOD[provider], enabled: false });
    expect((await probe(provider)).detail).toMatch(/disabled: enable it/);
  });

  it.each(['oauth_a', 'oauth_b', 'oauth_c', 'oauth_e'] as const)('%s needs client_id and secret', async (provider) => {
    const { secret, public_config } = GOOD[provider];
    const none = { ok: false, detail: 'not configured (no client_id, no secret saved): save them first' };
    expect(await probe(provider)).toEqual(none);
    await admin.put(provider, { enabled: false, public_config });
    expect(await probe(provider)).toEqual({ ...none, detail: 'not configured (no secret saved): save it first' });
    await admin.put(provider, { enabled: false, secret });
    expect(await probe(provider)).toEqual({ ...none, detail: 'not configured (no client_id saved): save it first' });
  });

  it('credentials from the environment are ignored', async () => {
    const environment = { OAUTH_A_CLIENT_ID: 'environment', OAUTH_A_CLIENT_SECRET: 'environment-secret' };
    expect((await probeElsewhere('oauth_a', environment)).ok).toBe(false);
  });
});

describe('§2.6 POST /admin/integrations/oauth_d/test', () => {
  const save = (secret: string) => admin.put('oauth_d', { ...GOOD.oauth_d, secret });

  it('the test of oauth_d creates a client secret with the stored key', async () => {
    await save(pem('ec', P256));
    const { ok, detail } = await probe('oauth_d');
    expect(ok).toBe(true);
    expect(detail).toContain('Register http://localhost:8080/v1/auth/oauth/oauth_d/callback');
  });

  it('the test of oauth_d accepts a key with escaped line breaks', async () => {
    await save(pem('ec', P256).replaceAll('\n', '\\n'));
    expect((await probe('oauth_d')).ok).toBe(true);
    await save(pem('ec', P256).replaceAll('\n', '\r\n'));
    expect((await probe('oauth_d')).ok).toBe(true);
  });

  it.each<[string, () => string, RegExp]>([
    ['no PEM', () => GOOD.oauth_d.secret, /not a private key in PEM.*save the whole \.p8 file/],
    ['a PEM with a passphrase', () => pem('ec', P256, 'secret'), /passphrase.*save the whole \.p8 file/],
    ['another curve', () => pem('ec', { namedCurve: 'P-384' }), /P-256.*save the \.p8 file/],
    ['RSA', () => pem('rsa', { modulusLength: 1024 }), /P-256.*save the \.p8 file/],
    ['Ed25519', () => pem('ed25519'), /P-256.*save the \.p8 file/],
  ])('the test of oauth_d is not ok with %s', async (_name, secret, detail) => {
    expect((await save(secret())).status).toBe(200);
    expect(await probe('oauth_d')).toEqual({ ok: false, detail: expect.stringMatching(detail) });
  });

  it('the test of oauth_d is not ok with missing fields', async () => {
    const secret = pem('ec', P256);
    await admin.put('oauth_d', { enabled: true, public_config: { client_id: 'com.example.id' }, secret });
    const detail = 'not configured (no team_id, no key_id saved): save them first';
    expect(await probe('oauth_d')).toEqual({ ok: false, detail });
  });
});

describe('§2.5 POST test is not ok if the stored secret cannot be decrypted', () => {
  it.each([
    [undefined, /set CONFIG_ENCRYPTION_KEY to the key it was encrypted with/],
    [OTHER_KEY, /CONFIG_ENCRYPTION_KEY_PREVIOUS to that key, or save the secret again/],
  ])('the test of each provider is not ok with CONFIG_ENCRYPTION_KEY=%s', async (CONFIG_ENCRYPTION_KEY, detail) => {
    for (const provider of PROVIDERS) await admin.put(provider, GOOD[provider]);
    const other = await startWithKey({ environment: { CONFIG_ENCRYPTION_KEY }, beside: app });
    for (const provider of PROVIDERS) {
      const tested = await probe(provider, administratorOf(other, admin));
      expect(tested).toEqual({ ok: false, detail: expect.stringMatching(detail) });
    }
    await other.close();
    expect(domains.requests).toEqual([]);
  });

  it.each(PROVIDERS)('the test of %s is not ok if the stored secret is corrupted', async (provider) => {
    await admin.put(provider, GOOD[provider]);
    const { sealed_secret } = await app.deps.db
      .selectFrom('provider_configs')
      .select('sealed_secret')
      .executeTakeFirstOrThrow();
    const damaged = `${sealed_secret!.slice(0, -4)}AAAA`;
    await app.deps.db.updateTable('provider_configs').set({ sealed_secret: damaged }).execute();
    const broken = await probe(provider);
    expect(broken).toEqual({ ok: false, detail: expect.stringMatching(/corrupted.*save it again/) });
    expect(domains.requests).toEqual([]);
  });
});

describe('§4.9 audit of tests', () => {
  it('the audit row of a test records provider, actor and key id, whatever the result', async () => {
    const from = (await auditOf(app, { actor_id: admin.user_id })).length;
    await admin.test('oauth_b');
    await admin.put('oauth_b', GOOD.oauth_b);
    await admin.test('oauth_b');
    await admin.put('email_transport', GOOD.email_transport);
    domains.mode = 401;
    await admin.test('email_transport');
    const auditRows = (await auditOf(app, { actor_id: admin.user_id, action: 'integration.tested' })).slice(-3);
    expect((await auditOf(app, { actor_id: admin.user_id })).length - from).toBe(5);
    const key_id = createMasterKey(Buffer.from(KEY, 'hex')).id;
    const row = { resource_type: 'integration', organization_id: NIL_UUID };
    expect(auditRows).toMatchObject([
      {
        ...row,
        resource_id: 'oauth_b',
        outcome: 'failure',
        metadata: { provider: 'oauth_b', key_id: null, ok: false },
      },
      { ...row, resource_id: 'oauth_b', outcome: 'success', metadata: { provider: 'oauth_b', key_id, ok: true } },
      {
        ...row,
        resource_id: 'email_transport',
        outcome: 'failure',
        metadata: { provider: 'email_transport', key_id, ok: false },
      },
    ]);
    for (const { metadata } of auditRows) expect(Object.keys(metadata).sort()).toEqual(['key_id', 'ok', 'provider']);
  });

  it('a test does not change the stored configuration', async () => {
    for (const provider of OAUTH_PROVIDERS) await admin.put(provider, GOOD[provider]);
    const before = (await admin.list()).json;
    app.clock.advance(1);
    for (const provider of OAUTH_PROVIDERS) await admin.test(provider);
    expect((await admin.list()).json).toEqual(before);
  });

  it('the body of a test request is ignored, even if it is malformed', async () => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/v1/admin/integrations/oauth_a/test',
      headers: { authorization: `Bearer ${admin.access_token}`, 'content-type': 'text/plain' },
      payload: '{ anything',
    });
    expect(answer.statusCode).toBe(200);
  });
});
