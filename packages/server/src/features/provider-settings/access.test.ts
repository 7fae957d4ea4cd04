import { PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, atOnce, bearer, createBrowser, registerUser, tally } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf, setUser } from '../../../test/records.ts';
import { enrol } from '../../../test/second-factor.ts';
import { type Administrator, createAdministrator, GOOD, rowsIn, startWithKey } from './integrations-fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startWithKey();
});
afterAll(() => app.close());

const codeOf = ({ status, json }: Answer) => [status, json.error?.code];
const writes = (who: Administrator) => [who.put('oauth_a', GOOD.oauth_a), who.test('oauth_a')];
const codesOf = async (asked: Promise<Answer>[]) => (await Promise.all(asked)).map(codeOf);
const twice = <T>(value: T): T[] => [value, value];

async function browserOfAdmin(platform_role: 'viewer' | 'admin' | null = 'admin') {
  const user = await enrol(app, await registerUser(app));
  await setUser(app, user.user_id, { platform_role });
  await app.deps.sessions.reload(user.session_id);
  return user.browser;
}

describe('§4.9 errors: 401 authentication_required', () => {
  it.each<[string, string]>([
    ['GET', ''],
    ['PUT', '/oauth_a'],
    ['POST', '/oauth_a/test'],
  ])('401 for %s %s without a valid credential', async (method, path) => {
    const browser = createBrowser(app);
    const ask = (more = {}) => browser.send(method, `/admin/integrations${path}`, { body: GOOD.oauth_a, ...more });
    expect(codeOf(await ask())).toEqual([401, 'authentication_required']);
    expect(codeOf(await ask(bearer('nonsense')))).toEqual([401, 'authentication_required']);
  });
});

describe('§4.9 errors: 401 mfa_required', () => {
  it('401 mfa_required for PUT and test without a second factor in this session', async () => {
    const admin = await createAdministrator(app, { mfa_verified_at: null, aal: 'aal1' });
    expect(await codesOf(writes(admin))).toEqual(twice([401, 'mfa_required']));
    expect((await admin.list()).status).toBe(200);
  });

  it('401 mfa_required for PUT and test five minutes after the second factor, but not before', async () => {
    const admin = await createAdministrator(app);
    app.clock.advance(300);
    expect(await codesOf(writes(admin))).toEqual(twice([200, undefined]));
    app.clock.advance(0.001);
    expect(await codesOf(writes(admin))).toEqual(twice([401, 'mfa_required']));
    expect((await admin.list()).status).toBe(200);
  });
});

describe('§4.9 errors: 403 forbidden', () => {
  it('403 for every endpoint without a platform role, whatever the organization role', async () => {
    const nobody = await createAdministrator(app, { platform_role: null, role: 'owner' });
    expect(await codesOf([nobody.list(), ...writes(nobody)])).toEqual(
      Array.from({ length: 3 }, () => [403, 'forbidden']),
    );
  });

  it('403 for PUT and test for a platform viewer, who can list', async () => {
    const viewer = await createAdministrator(app, { platform_role: 'viewer' });
    expect(await codesOf(writes(viewer))).toEqual(twice([403, 'forbidden']));
    expect((await viewer.list()).status).toBe(200);
  });

  it('a platform owner can use every endpoint', async () => {
    const owner = await createAdministrator(app, { platform_role: 'owner' });
    expect(await codesOf([owner.list(), ...writes(owner)])).toEqual(Array.from({ length: 3 }, () => [200, undefined]));
  });
});

describe('§4.9 errors: 403 csrf_failed', () => {
  it('403 csrf_failed for PUT and test by cookie with a missing or wrong CSRF header', async () => {
    const browser = await browserOfAdmin();
    const put = (more: object) => browser.send('PUT', '/admin/integrations/oauth_a', { body: GOOD.oauth_a, ...more });
    const test = (more: object) => browser.send('POST', '/admin/integrations/oauth_a/test', more);
    for (const more of [{ csrf: false }, { headers: { 'x-service-csrf': 'another' } }]) {
      expect(await codesOf([put(more), test(more)])).toEqual(twice([403, 'csrf_failed']));
    }
    expect(await codesOf([put({}), test({})])).toEqual(twice([200, undefined]));
    expect((await browser.get('/admin/integrations')).status).toBe(200);
  });
});

describe('§4.9 errors: 400 invalid_input for an unknown provider', () => {
  const message = `provider: must be one of ${PROVIDERS.join(', ')}`;
  it.each([
    '',
    'oauth_z',
    'google',
    'OAUTH_A',
    'oauth_a%20',
    '%00',
    'oauth_a%00',
    '__proto__',
    'constructor',
    '%F0%9F%98%80',
    'oauth_a%2F',
    'x'.repeat(200),
  ])('400 for PUT and test of the unknown provider %s', async (provider) => {
    const admin = await createAdministrator(app);
    for (const answer of [await admin.put(provider, GOOD.oauth_a), await admin.test(provider)]) {
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual({ error: { code: 'invalid_input', type: 'validation_error', message } });
    }
  });

  it.each(['x'.repeat(201), 'x'.repeat(10_000), '%', '%ff', '%ed%a0%80', '..', 'oauth_a/other'])(
    '404 for a path that cannot be a provider: %s',
    async (provider) => {
      const admin = await createAdministrator(app);
      const answers = [await admin.put(provider, GOOD.oauth_a), await admin.test(provider)];
      for (const { status } of answers) expect(status).toBe(404);
    },
  );

  it('a request for an unknown provider writes nothing', async () => {
    const admin = await createAdministrator(app);
    const before = await rowsIn(app);
    await admin.put('oauth_z', GOOD.oauth_a);
    await admin.test('oauth_z');
    expect(await rowsIn(app)).toEqual(before);
    expect(await auditOf(app, { actor_id: admin.user_id })).toEqual([]);
  });
});

describe('the order of the checks', () => {
  const put = (who: Administrator) => who.put('oauth_z', { enabled: 'neither' });

  it('checks credential, then role, then step-up, then body, then provider', async () => {
    const browser = createBrowser(app);
    const unknown = browser.send('PUT', '/admin/integrations/oauth_z', { body: {} });
    expect(codeOf(await unknown)).toEqual([401, 'authentication_required']);
    const viewer = await createAdministrator(app, { platform_role: 'viewer', mfa_verified_at: null });
    expect(codeOf(await put(viewer))).toEqual([403, 'forbidden']);
    expect(codeOf(await viewer.test('oauth_z'))).toEqual([403, 'forbidden']);
    const late = await createAdministrator(app, { mfa_verified_at: null });
    expect(codeOf(await put(late))).toEqual([401, 'mfa_required']);
    expect(codeOf(await late.test('oauth_z'))).toEqual([401, 'mfa_required']);
    const admin = await createAdministrator(app);
    expect((await put(admin)).json.error.message).toMatch(/^enabled: /);
    expect((await admin.put('oauth_z', { enabled: true })).json.error.message).toMatch(/^provider: /);
  });

  it('checks CSRF before the role', async () => {
    const browser = await browserOfAdmin(null);
    const answer = await browser.send('PUT', '/admin/integrations/oauth_a', { body: GOOD.oauth_a, csrf: false });
    expect(codeOf(answer)).toEqual([403, 'csrf_failed']);
  });
});

describe('§4.9 errors: 429 rate_limited', () => {
  let counted: TestApp;
  beforeAll(async () => {
    counted = await startWithKey({ environment: { LIMIT_INTEGRATIONS: undefined } });
  });
  afterAll(() => counted.close());

  it('429 for the 101st request in a minute over the three endpoints together, whatever their responses', async () => {
    const admin = await createAdministrator(counted);
    const browser = createBrowser(counted);
    const kinds = [
      () => admin.list(),
      () => admin.put('oauth_a', GOOD.oauth_a),
      () => admin.test('oauth_a'),
      () => admin.put('oauth_z', {}),
      () => browser.get('/admin/integrations'),
    ];
    const answers = await atOnce(100, (index) => kinds[index % kinds.length]!());
    expect(tally(answers)).toEqual({ 200: 60, 400: 20, 401: 20 });
    const over = [
      await admin.list(),
      await admin.put('oauth_a', GOOD.oauth_a),
      await admin.test('oauth_a'),
      // The limit is checked before the credential.
      await browser.get('/admin/integrations'),
    ];
    for (const answer of over) {
      expect(codeOf(answer)).toEqual([429, 'rate_limited']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    const { access_token } = admin;
    const elsewhere = await counted.server.inject({
      url: '/v1/admin/integrations',
      headers: { authorization: `Bearer ${access_token}` },
      remoteAddress: '203.0.113.7',
    });
    expect(elsewhere.statusCode).toBe(200);
    expect((await browser.get('/auth/session', bearer(access_token))).status).toBe(200);
    counted.clock.advance(61);
    expect((await admin.list()).status).toBe(200);
  });
});
