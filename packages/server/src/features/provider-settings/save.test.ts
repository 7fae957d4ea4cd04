import { NIL_UUID, PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { createMasterKey } from '../../platform/crypto/keyring.ts';
import {
  type Administrator,
  administratorOf,
  createAdministrator,
  forgetAll,
  GOOD,
  KEY,
  rowOf,
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

const secretInForce = () => app.deps.providers.find('oauth_a').settings?.secret;

describe('§4.9 PUT /admin/integrations/:provider', () => {
  it.each(PROVIDERS)('%s: a valid change is 200 with the same entry as in the list', async (provider) => {
    const answer = await admin.put(provider, GOOD[provider]);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      provider,
      enabled: true,
      public_config: GOOD[provider].public_config,
      secret_set: true,
      degraded: false,
      source: 'stored',
      updated_at: app.clock.now().toISOString(),
    });
    expect(answer.json).toEqual(await admin.view(provider));
    const { settings } = app.deps.providers.find(provider);
    expect(settings).toEqual({ public_config: GOOD[provider].public_config, secret: GOOD[provider].secret });
  });

  it('enabling, changing and disabling take effect in this process at once', async () => {
    await admin.put('oauth_a', { ...GOOD.oauth_a, secret: 'the-first' });
    expect(secretInForce()).toBe('the-first');
    await admin.put('oauth_a', { ...GOOD.oauth_a, secret: 'the-second' });
    expect(secretInForce()).toBe('the-second');
    await admin.put('oauth_a', { enabled: false });
    expect(app.deps.providers.find('oauth_a')).toMatchObject({ settings: undefined, source: null });
  });

  it.each([{}, { secret: null }])('an omitted or null secret keeps the stored one: %j', async (rest) => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const before = await rowOf(app, 'oauth_a');
    app.clock.advance(1);
    const { json } = await admin.put('oauth_a', { enabled: true, public_config: { client_id: 'another' }, ...rest });
    expect(json).toMatchObject({
      secret_set: true,
      public_config: { client_id: 'another' },
      updated_at: app.clock.now().toISOString(),
    });
    expect((await rowOf(app, 'oauth_a'))?.sealed_secret).toBe(before?.sealed_secret);
    expect(secretInForce()).toBe('secret-of-a');
  });

  it('a new secret replaces the old one', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const before = await rowOf(app, 'oauth_a');
    await admin.put('oauth_a', { ...GOOD.oauth_a, secret: 'another-one' });
    expect((await rowOf(app, 'oauth_a'))?.sealed_secret).not.toBe(before?.sealed_secret);
    expect(secretInForce()).toBe('another-one');
  });

  it.each([{}, { secret: null }])('clear_secret deletes the stored secret: %j', async (rest) => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const { json } = await admin.put('oauth_a', {
      enabled: true,
      public_config: GOOD.oauth_a.public_config,
      clear_secret: true,
      ...rest,
    });
    expect(json).toMatchObject({
      secret_set: false,
      key_id: null,
      degraded: true,
      degraded_reason: 'secret_missing',
    });
    expect((await rowOf(app, 'oauth_a'))?.sealed_secret).toBeNull();
  });

  it('clear_secret: false equals omitting it', async () => {
    const { json } = await admin.put('oauth_a', { ...GOOD.oauth_a, clear_secret: false });
    expect(json.secret_set).toBe(true);
  });

  it('clear_secret works without the encryption key', async () => {
    await admin.put('oauth_a', GOOD.oauth_a);
    const other = await startWithKey({ environment: { CONFIG_ENCRYPTION_KEY: undefined }, beside: app });
    try {
      const answer = await administratorOf(other, admin).put('oauth_a', { enabled: false, clear_secret: true });
      expect(answer).toMatchObject({ status: 200, json: { secret_set: false } });
    } finally {
      await other.close();
    }
    expect((await rowOf(app, 'oauth_a'))?.sealed_secret).toBeNull();
  });

  it('an omitted public_config stores {}', async () => {
    await admin.put('oauth_c', GOOD.oauth_c);
    const { json } = await admin.put('oauth_c', { enabled: false });
    expect(json.public_config).toEqual({});
    expect((await rowOf(app, 'oauth_c'))?.public_config).toEqual({});
  });

  it('the known fields are stored, trimmed, and others are ignored', async () => {
    const public_config =
      '{"client_id":"  mine ","tenant":"common","from":7,"nested":{"a":[1]},"__proto__":{"polluted":true},"constructor":"x"}';
    const answer = await admin.put('oauth_b', `{"enabled":true,"unknown":1,"public_config":${public_config}}`);
    expect(answer).toMatchObject({ status: 200, json: { public_config: { client_id: 'mine' } } });
    expect((await rowOf(app, 'oauth_b'))?.public_config).toEqual({ client_id: 'mine' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('a null field counts as omitted', async () => {
    const answer = await admin.put('oauth_c', { enabled: false, public_config: { client_id: 'c', tenant: null } });
    expect(answer).toMatchObject({ status: 200, json: { public_config: { client_id: 'c' } } });
  });

  it.each(['common', 'organizations', 'consumers', '72F988BF-86F1-41AF-91AB-2D7CD011DB47'])(
    'accepts the tenant %s',
    async (tenant) => {
      const { status, json } = await admin.put('oauth_c', { enabled: true, public_config: { client_id: 'c', tenant } });
      expect(status).toBe(200);
      expect(json.public_config.tenant).toBe(tenant.toLowerCase());
    },
  );

  it.each(['oauth_c', 'oauth_d', 'oauth_e'] as const)('%s can be enabled with missing fields', async (provider) => {
    const answer = await admin.put(provider, { enabled: true, secret: 'long-enough' });
    expect(answer).toMatchObject({
      status: 200,
      json: { enabled: true, degraded: true, degraded_reason: 'fields_missing', source: null },
    });
    expect(app.deps.providers.find(provider).settings).toBeUndefined();
  });

  it('mail can be enabled without a sender and is then degraded', async () => {
    const answer = await admin.put('email_transport', { enabled: true, secret: 're_key' });
    expect(answer).toMatchObject({ status: 200, json: { degraded_reason: 'fields_missing' } });
  });

  it('oauth_a and oauth_b can be disabled without a client_id', async () => {
    for (const provider of ['oauth_a', 'oauth_b']) {
      expect((await admin.put(provider, { enabled: false })).status).toBe(200);
    }
  });

  it.each([
    ['oauth_a', '8-chars!'],
    ['oauth_a', 'x'.repeat(4096)],
    ['oauth_b', 'é'.repeat(2048)],
    ['oauth_b', '😀'.repeat(8)],
    ['email_transport', `re_${'x'.repeat(4093)}`],
    ['oauth_d', 'a b c\n\r\nd'],
  ])('accepts a secret at the limit: %s', async (provider, secret) => {
    const { enabled, public_config } = GOOD[provider as 'oauth_a'];
    const answer = await admin.put(provider, { enabled, public_config, secret });
    expect(answer).toMatchObject({ status: 200, json: { secret_set: true, degraded: false } });
    expect(app.deps.providers.find(provider as 'oauth_a').settings?.secret).toBe(secret);
  });

  it('a change is audited with provider, actor and key id, without an organization', async () => {
    const { user_id } = admin;
    const from = (await auditOf(app, { actor_id: user_id })).length;
    await admin.put('oauth_a', GOOD.oauth_a);
    await admin.put('oauth_a', { enabled: false });
    await admin.put('oauth_a', { enabled: false, clear_secret: true });
    const auditRows = (await auditOf(app, { actor_id: user_id })).slice(from);
    const key_id = createMasterKey(Buffer.from(KEY, 'hex')).id;
    const row = {
      action: 'integration.updated',
      resource_type: 'integration',
      resource_id: 'oauth_a',
      organization_id: NIL_UUID,
      outcome: 'success',
    };
    expect(auditRows).toMatchObject([
      { ...row, metadata: { provider: 'oauth_a', key_id, enabled: true } },
      { ...row, metadata: { provider: 'oauth_a', key_id, enabled: false } },
      { ...row, metadata: { provider: 'oauth_a', key_id: null, enabled: false } },
    ]);
    for (const { metadata, request_id } of auditRows) {
      expect(Object.keys(metadata).sort()).toEqual(['enabled', 'key_id', 'provider']);
      expect(request_id).not.toBeNull();
    }
  });

  it('each change is announced to the other replicas', async () => {
    const events = () =>
      app.deps.db.selectFrom('bus_events').select(['topic', 'key']).where('topic', '=', 'providers').execute();
    const before = (await events()).length;
    await admin.put('oauth_e', GOOD.oauth_e);
    expect((await events()).slice(before)).toEqual([{ topic: 'providers', key: 'oauth_e' }]);
  });
});
