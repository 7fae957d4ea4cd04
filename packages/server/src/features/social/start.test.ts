import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser, registerUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { countingRows, recorded } from '../../../test/records.ts';
import { isOpenId } from '../../domain/provider-settings/definition.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import { LOST_KEY, rowOf, storeRow } from '../../domain/provider-settings/rows-fixture.ts';
import { settingPrefix } from '../../platform/config/settings.ts';
import {
  begin,
  CONFIG_KEY,
  comeBack,
  newUser,
  saveProvider,
  startAnother,
  startThirdParties,
  type ThirdParties,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const RANDOM = expect.stringMatching(/^[\w-]{43}$/);
const STATE = expect.stringMatching(/^[\w-]{60,}$/);

const addressOf = (location: string) => location.split('?')[0];
const queryOf = (location: string) => Object.fromEntries(new URL(location).searchParams);

/** Expected parameters. The parameters of a provider that is not listed are read from its definition. */
const ASKED: Partial<Record<OAuthProvider, Record<string, unknown>>> = {
  oauth_a: { scope: 'openid email profile', nonce: RANDOM },
  oauth_b: { scope: 'read:user user:email' },
  oauth_c: { scope: 'openid email profile', nonce: RANDOM, response_mode: 'query' },
  oauth_d: { scope: 'name email', nonce: RANDOM, response_mode: 'form_post' },
  oauth_e: { scope: 'email public_profile' },
};

describe('GET /auth/oauth/:provider/start', () => {
  it.each(OAUTH_PROVIDERS)('%s: redirects to the provider with the expected parameters only', async (provider) => {
    const fake = third.fakes[provider];
    const definition = definitionOf(provider);
    const answer = await createBrowser(third.app).get(`/auth/oauth/${provider}/start`);
    expect(answer.status).toBe(302);
    expect(answer.text).toBe('');
    const location = answer.headers.location as string;
    expect(addressOf(location)).toBe(
      fake.environment[`${settingPrefix(provider)}_AUTHORIZATION_URL`]!.replace('{tenant}', 'common'),
    );
    expect(queryOf(location)).toEqual({
      response_type: 'code',
      client_id: `${provider}-client`,
      redirect_uri: `http://localhost:8080/v1/auth/oauth/${provider}/callback`,
      state: STATE,
      code_challenge: RANDOM,
      code_challenge_method: 'S256',
      ...(ASKED[provider] ?? { ...definition.authorization, ...(isOpenId(definition) && { nonce: RANDOM }) }),
    });
  });

  it('the start never repeats state, nonce or challenge, and the URL reveals neither cookie nor redirect_to', async () => {
    const browser = createBrowser(third.app);
    const first = queryOf(await begin(browser, 'oauth_a'));
    const second = queryOf(await begin(browser, 'oauth_a'));
    for (const name of ['state', 'nonce', 'code_challenge']) expect(first[name], name).not.toBe(second[name]);
    const location = await begin(browser, 'oauth_a', '/account?tab=1');
    expect(location).not.toContain(browser.jar.get('service_oauth'));
    expect(Buffer.from(queryOf(location).state!, 'base64url').toString('latin1')).not.toContain('account');
  });

  it('a query in the configured authorization URL is kept', async () => {
    const { origin } = new URL(third.fakes.oauth_a.url);
    const other = await startAnother(third, { OAUTH_A_AUTHORIZATION_URL: `${origin}/auth?hd=example.com&state=mine` });
    const query = new URL(await begin(createBrowser(other), 'oauth_a')).searchParams;
    expect(query.get('hd')).toBe('example.com');
    expect(query.getAll('state')).toEqual([STATE]);
    await other.close();
  });

  it('HEAD is answered like GET', async () => {
    const answer = await createBrowser(third.app).send('HEAD', '/auth/oauth/oauth_a/start');
    expect([answer.status, answer.text]).toEqual([302, '']);
    expect(answer.headers.location).toContain('code_challenge=');
  });

  it('the start stores nothing and sends no query to the database', async () => {
    const { result, statements } = await recorded(third.app, () =>
      countingRows(third.app, ['oauth_states', 'audit_events', 'sessions'], async () => {
        for (const provider of OAUTH_PROVIDERS) await begin(createBrowser(third.app), provider);
      }),
    );
    expect(result.rows).toEqual({ oauth_states: 0, audit_events: 0, sessions: 0 });
    // All six statements are counting queries of this test: three before the request and three after.
    expect(statements).toHaveLength(6);
  });

  it('the start needs no session and ignores credentials', async () => {
    const user = await registerUser(third.app);
    const attempts = [
      { cookies: false },
      bearer('not.a.token'),
      bearer(user.access_token),
      { headers: { cookie: 'service_at=broken; service_rt=broken; service_csrf=broken' }, cookies: false },
    ];
    for (const ask of attempts) {
      expect((await user.browser.get('/auth/oauth/oauth_a/start', ask)).status).toBe(302);
    }
  });
});

describe('the flow cookie', () => {
  const start = async (cookie?: string) => {
    const ask = cookie === undefined ? {} : { headers: { cookie } };
    const [line] = (await createBrowser(third.app).get('/auth/oauth/oauth_a/start', ask)).set_cookies;
    return /^service_oauth=([^;]*)/.exec(line ?? '')?.[1];
  };

  it('is HttpOnly and Lax, valid for ten minutes, and limited to the path of the API', async () => {
    const { set_cookies } = await createBrowser(third.app).get('/auth/oauth/oauth_a/start');
    expect(set_cookies).toEqual([
      expect.stringMatching(/^service_oauth=[\w-]{43}; Path=\/v1; Max-Age=600; SameSite=Lax; HttpOnly$/),
    ]);
  });

  it('differs between browsers, and is kept over two starts, so that both tabs can finish', async () => {
    const browser = createBrowser(third.app);
    const urls = [await begin(browser, 'oauth_a'), await begin(browser, 'oauth_b')];
    expect(await start(`service_oauth=${browser.jar.get('service_oauth')}`)).toBe(browser.jar.get('service_oauth'));
    expect(await start()).not.toBe(await start());
    newUser(third.fakes.oauth_a);
    newUser(third.fakes.oauth_b);
    expect((await comeBack(browser, third.fakes.oauth_b, urls[1]!)).status).toBe(200);
    expect((await comeBack(browser, third.fakes.oauth_a, urls[0]!)).status).toBe(200);
  });

  const own = 'A'.repeat(43);
  it.each([
    ['too short', 'service_oauth=short'],
    ['too long', `service_oauth=${own}A`],
    ['of other characters', `service_oauth=${own.slice(1)}%`],
    ['sent twice', `service_oauth=${own}; service_oauth=${'B'.repeat(43)}`],
    ['under the name for https', `__Host-service_oauth=${own}`],
  ])('is replaced if it is %s', async (_what, cookie) => {
    const made = await start(cookie);
    expect(made).toMatch(/^[\w-]{43}$/);
    expect([own, 'B'.repeat(43)]).not.toContain(made);
  });
});

describe('the flow cookie over https with another prefix', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startAnother(third, { PUBLIC_BASE_URL: 'https://id.example.com', ROUTE_PREFIX: '/api/id' });
  });
  afterAll(() => app.close());
  const START = '/api/id/auth/oauth/oauth_a/start';

  it('over https the flow cookie has the __Host- name for the whole host, and the callback URL has the prefix', async () => {
    const started = await app.server.inject({ url: START });
    expect(started.statusCode).toBe(302);
    expect(String(started.headers['set-cookie'])).toMatch(
      /^__Host-service_oauth=[\w-]{43}; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly; Secure$/,
    );
    newUser(third.fakes.oauth_a);
    const { callback_url } = await third.fakes.oauth_a.authorize(started.headers.location as string);
    expect(callback_url).toMatch(/^https:\/\/id\.example\.com\/api\/id\/auth\/oauth\/oauth_a\/callback\?code=/);
    const cookie = String(started.headers['set-cookie']).split(';')[0]!;
    const back = { url: callback_url.replace('https://id.example.com', ''), headers: { accept: 'application/json' } };
    const planted = { cookie: cookie.replace('__Host-', '') };
    const refused = await app.server.inject({ ...back, headers: { ...back.headers, ...planted } });
    expect(refused.json().error.message).toMatch(/^invalid_state: /);
    const answer = await app.server.inject({ ...back, headers: { ...back.headers, cookie } });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(String(answer.headers['set-cookie'])).toContain('service_rt=');
    expect((await app.server.inject({ url: START.replace('/api/id', '/v1') })).statusCode).toBe(404);
  });

  it('a cookie without the __Host- name is ignored', async () => {
    const cookie = `service_oauth=${'A'.repeat(43)}`;
    const { headers } = await app.server.inject({ url: START, headers: { cookie } });
    expect(String(headers['set-cookie'])).toMatch(/^__Host-service_oauth=/);
    expect(String(headers['set-cookie'])).not.toContain('A'.repeat(43));
  });
});

describe('404 without a cookie for a provider that is not available', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ environment: { CONFIG_ENCRYPTION_KEY: CONFIG_KEY } });
  });
  afterAll(() => app.close());
  afterEach(async () => {
    await app.deps.db.deleteFrom('provider_configs').execute();
    await app.deps.providers.reload();
  });
  const expectNone = async (provider: string) => {
    const { status, json, set_cookies } = await createBrowser(app).get(`/auth/oauth/${provider}/start`);
    expect([status, json.error.code, set_cookies], provider).toEqual([404, 'not_found', []]);
  };
  const store = async (...row: Parameters<typeof rowOf>) => {
    await storeRow(app.deps.db, rowOf(...row));
    await app.deps.providers.reload();
  };

  it.each(['oauth_z', 'OAUTH_A', 'oauth_a ', 'email_transport', 'google', '__proto__', 'oauth_a%00', '%ff', ''])(
    '404 without a cookie for the unknown provider %j',
    expectNone,
  );

  it.each(OAUTH_PROVIDERS)(
    '404 without a cookie while %s is not configured, disabled, or degraded',
    async (provider) => {
      await expectNone(provider);
      await saveProvider(app, provider, {
        public_config: { client_id: 'x', team_id: 'x', key_id: 'x' },
        secret: 'long enough',
      });
      expect((await createBrowser(app).get(`/auth/oauth/${provider}/start`)).status).toBe(302);
      await saveProvider(app, provider, {
        public_config: { client_id: 'x', team_id: 'x', key_id: 'x' },
        enabled: false,
      });
      await expectNone(provider);
      await store(provider, { key: LOST_KEY });
      expect(app.deps.providers.find(provider).degraded).toBe('key_unknown');
      await expectNone(provider);
      await saveProvider(app, provider, { public_config: {}, secret: 'long enough' });
      await expectNone(provider);
    },
  );

  it('a degraded provider uses credentials from the environment', async () => {
    const environment = {
      OAUTH_A_CLIENT_ID: third.fakes.oauth_a.settings.public_config.client_id!,
      OAUTH_A_CLIENT_SECRET: third.fakes.oauth_a.settings.secret,
    };
    const other = await startThirdParties({ environment });
    await storeRow(other.app.deps.db, rowOf('oauth_a', { key: LOST_KEY, public_config: { client_id: 'stored' } }));
    await other.app.deps.providers.reload();
    expect(other.app.deps.providers.find('oauth_a')).toMatchObject({ degraded: 'key_unknown', source: 'environment' });
    const location = await begin(createBrowser(other.app), 'oauth_a');
    expect(queryOf(location).client_id).toBe(environment.OAUTH_A_CLIENT_ID);
    await saveProvider(other.app, 'oauth_a', { public_config: { client_id: 'stored' }, enabled: false });
    expect((await createBrowser(other.app).get('/auth/oauth/oauth_a/start')).status).toBe(404);
    await other.close();
  });

  it.each([
    ['oauth_a', 'https://accounts.google.com/o/oauth2/v2/auth'],
    ['oauth_b', 'https://github.com/login/oauth/authorize'],
    ['oauth_c', 'https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize'],
    ['oauth_d', 'https://appleid.apple.com/auth/authorize'],
    ['oauth_e', 'https://www.facebook.com/v24.0/dialog/oauth'],
  ] as const)('without a configured authorization URL, the start of %s redirects to %s', async (provider, address) => {
    const public_config = { client_id: 'x', team_id: 'x', key_id: 'x', tenant: 'organizations' };
    await saveProvider(app, provider, { public_config, secret: 'long enough' });
    expect(addressOf(await begin(createBrowser(app), provider))).toBe(address);
  });
});
