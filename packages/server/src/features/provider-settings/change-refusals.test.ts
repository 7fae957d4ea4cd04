import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import {
  type Administrator,
  administratorOf,
  createAdministrator,
  forgetAll,
  GOOD,
  rowsIn,
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

/** Expects 400 with exactly this message, and no change. */
async function refuses(provider: string, body: unknown, message: string, who = admin): Promise<void> {
  await admin.put('oauth_a', GOOD.oauth_a);
  const before = [await rowsIn(app), (await auditOf(app)).length];
  const answer = await who.put(provider, body);
  expect(answer.json).toEqual({ error: { code: 'invalid_input', type: 'validation_error', message } });
  expect(answer.status).toBe(400);
  expect([await rowsIn(app), (await auditOf(app)).length]).toEqual(before);
}

const EMPTY = 'must not be empty; omit it to keep the stored secret, or send clear_secret to remove it';
const ID = 'must be 1 to 255 printable ASCII characters without spaces';
const SECRET = 'must be at least 8 printable characters, without spaces at its ends';
const MAIL_KEY = 'must begin with re_ and be printable ASCII without spaces';
const TENANT = 'must be common, organizations, consumers or the GUID of a tenant';

describe('§4.9 PUT: the body', () => {
  it.each<[unknown, string]>([
    [{}, 'enabled: is required'],
    [{ enabled: null }, 'enabled: must be a boolean'],
    [{ enabled: 'true' }, 'enabled: must be a boolean'],
    [{ enabled: true, secret: 7 }, 'secret: must be a string or null'],
    [{ enabled: true, clear_secret: 'yes' }, 'clear_secret: must be a boolean'],
    [undefined, 'body: must be a JSON object'],
    ['[]', 'body: must be a JSON object'],
    ['{', 'body: must be valid JSON'],
  ])('400 for %j: %s', (body, message) => refuses('oauth_a', body, message));
});

describe('§4.9 PUT, validation 1: public_config must be an object', () => {
  it.each([[], ['client_id'], 'client_id', 7, true])('400 if public_config is %j', (public_config) =>
    refuses('oauth_a', { enabled: false, public_config }, 'public_config: must be an object'),
  );
});

describe('§4.9 PUT, validation 2: from must be an email address', () => {
  it.each([true, false])('400 if public_config.from is not an email address and enabled is %s', async (enabled) => {
    for (const from of ['nobody', '', '  ', 'a@b@c', 'Example <id@example.com>', 'a@example.com\n', 'a@b.example\0']) {
      const message = 'public_config.from: must be an email address';
      await refuses('email_transport', { enabled, public_config: { from } }, message);
    }
  });

  it('400 if public_config.from is not a string', () =>
    refuses('email_transport', { enabled: false, public_config: { from: 7 } }, 'public_config.from: must be a string'));
});

describe('§4.9 PUT, validation 3: client_id is required when enabled', () => {
  const message = 'public_config.client_id: is required when enabled';
  it.each(['oauth_a', 'oauth_b'])('400 without a client_id if %s is enabled', async (provider) => {
    for (const config of [{}, { public_config: {} }, { public_config: { client_id: null } }]) {
      await refuses(provider, { enabled: true, ...config }, message);
    }
    await refuses(provider, { enabled: true, public_config: { client_id: '  ' } }, `public_config.client_id: ${ID}`);
  });

  it('400 for a missing client_id even if one is stored', () =>
    refuses('oauth_a', { enabled: true, public_config: {} }, message));

  it('400 if client_id is only an inherited property', () =>
    refuses('oauth_a', '{"enabled":true,"public_config":{"__proto__":{"client_id":"inherited"}}}', message));
});

describe('§2.6 PUT: the other fields', () => {
  const lone = String.fromCharCode(0xd800);
  it.each(['', ' ', 'two words', 'tab\t', 'line\n', 'nul\0', 'é', lone, '\u202e', 'x'.repeat(256)])(
    '400 for an id that is not printable ASCII: %j',
    async (value) => {
      for (const name of ['client_id', 'team_id', 'key_id']) {
        // A blank client_id is accepted while the provider is disabled.
        if (name === 'client_id' && value === '') continue;
        const body = { enabled: false, public_config: { ...GOOD.oauth_d.public_config, [name]: value } };
        await refuses('oauth_d', body, `public_config.${name}: ${ID}`);
      }
    },
  );

  it.each([7, true, {}, []])('400 for an id that is not a string: %j', (client_id) =>
    refuses('oauth_e', { enabled: false, public_config: { client_id } }, 'public_config.client_id: must be a string'),
  );

  it.each(['', 'Common', 'contoso.onmicrosoft.com', 'common/../x', '72f988bf-86f1-41af-91ab-2d7cd011db4', 'common\n'])(
    '400 for a tenant that is neither a known keyword nor a GUID: %j',
    (tenant) => refuses('oauth_c', { enabled: false, public_config: { tenant } }, `public_config.tenant: ${TENANT}`),
  );
});

describe('§4.9 PUT, validation 4: the format of a secret', () => {
  it.each(['', 'sk_live_123', 'RE_key', ' re_key', 're_key\n', 're_a key', 're_schlüssel'])(
    'email_transport rejects the secret %j',
    (secret) => refuses('email_transport', { enabled: false, secret }, `secret: ${secret === '' ? EMPTY : MAIL_KEY}`),
  );

  it.each(['oauth_a', 'oauth_b', 'oauth_c', 'oauth_e'])(
    '%s rejects a secret that is not at least 8 printable characters',
    async (provider) => {
      const bad = ['1234567', '😀😀😀😀😀😀😀', 'trailing-line\n', 'nul-in-it\0', 'tab-in-it\t', ' leading-space'];
      for (const secret of bad) await refuses(provider, { enabled: false, secret }, `secret: ${SECRET}`);
      await refuses(provider, { enabled: false, secret: '' }, `secret: ${EMPTY}`);
    },
  );

  it.each(['1234567', 'nul-in-it\0\n', 'tab-in-it\t\n'])('oauth_d rejects the secret %j', (secret) =>
    refuses('oauth_d', { enabled: false, secret }, 'secret: must be at least 8 printable characters'),
  );

  it.each(['email_transport', 'oauth_a', 'oauth_d'])(
    '%s rejects a secret of more than 4096 bytes',
    async (provider) => {
      const tooLong = 'secret: must be at most 4096 bytes';
      await refuses(provider, { enabled: false, secret: `re_${'x'.repeat(4094)}` }, tooLong);
      const wide = `re_${'é'.repeat(2047)}`;
      expect(Buffer.byteLength(wide)).toBe(4097);
      await refuses(provider, { enabled: false, secret: wide }, tooLong);
    },
  );

  it('rejects a secret with invalid Unicode', () =>
    refuses('oauth_a', '{"enabled":false,"secret":"long-enough-\\ud800"}', 'secret: must not contain invalid Unicode'));

  it('rejects a secret together with clear_secret', () =>
    refuses('oauth_a', { ...GOOD.oauth_a, clear_secret: true }, 'secret: must not be sent together with clear_secret'));
});

describe('§4.9 PUT, validation 5: no secret is stored while the encryption key is unset', () => {
  it('400 for a secret while CONFIG_ENCRYPTION_KEY is unset, and the message names the setting', async () => {
    const other = await startWithKey({ environment: { CONFIG_ENCRYPTION_KEY: undefined }, beside: app });
    try {
      const message = 'secret: cannot be stored: set CONFIG_ENCRYPTION_KEY to 32 random bytes and restart the server';
      await refuses('oauth_b', GOOD.oauth_b, message, administratorOf(other, admin));
      // Without the encryption key, everything except a secret can be saved.
      const answer = await administratorOf(other, admin).put('oauth_a', { ...GOOD.oauth_a, secret: null });
      expect(answer).toMatchObject({ status: 200, json: { secret_set: true, degraded_reason: 'key_unset' } });
    } finally {
      await other.close();
    }
  });
});

describe('§4.9 PUT: several faults', () => {
  it('several faults are reported together, each with its field, and without quoting the input', async () => {
    const body = {
      enabled: true,
      public_config: { client_id: 'my client', team_id: 7, key_id: 'quoted-nowhere\n' },
      secret: 'quoted\0',
    };
    await refuses(
      'oauth_d',
      body,
      `public_config.client_id: ${ID}; public_config.team_id: must be a string; public_config.key_id: ${ID}; secret: must be at least 8 printable characters`,
    );
    await refuses(
      'oauth_a',
      { enabled: true, secret: 'short' },
      `public_config.client_id: is required when enabled; secret: ${SECRET}`,
    );
  });
});
