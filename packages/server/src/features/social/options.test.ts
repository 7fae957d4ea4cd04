import { describe, expect, it } from 'vitest';
import { createBrowser, registerUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';
import { recorded } from '../../../test/records.ts';
import { begin, CONFIG_KEY, saveProvider } from './oauth-fixture.ts';

const CREDENTIALS = { client_id: 'client', team_id: 'ABCDE12345', key_id: 'ABCDE12345' };
const GOOGLE = { OAUTH_A_CLIENT_ID: 'from the environment', OAUTH_A_CLIENT_SECRET: 'long enough' };

const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: CONFIG_KEY } });

const optionsOf = async (target: TestApp) => (await createBrowser(target).get('/auth/providers')).json;
const offered = async (target: TestApp = app) =>
  (await optionsOf(target)).oauth.map(({ provider }: { provider: string }) => provider);
const optionsWith = async (environment: Record<string, string>) => {
  const other = await startTestApp({ environment });
  const options = await optionsOf(other);
  await other.close();
  return options;
};

describe('GET /auth/providers', () => {
  it('anyone gets 200 with the sign-in methods that need no configuration', async () => {
    const { status, json, set_cookies } = await createBrowser(app).get('/auth/providers');
    expect(status).toBe(200);
    expect(json).toEqual({ password: true, passkey: true, email_otp: true, registration: true, oauth: [] });
    expect(set_cookies).toEqual([]);
    const { browser } = await registerUser(app);
    const headers = { authorization: 'Bearer nonsense' };
    expect((await browser.get('/auth/providers', { headers })).json).toEqual(json);
  });

  it('a saved provider is offered at once, by its brand name, and its start works; a disabled or degraded one is not', async () => {
    const names = { oauth_a: 'Google', oauth_b: 'GitHub', oauth_c: 'Microsoft', oauth_d: 'Apple', oauth_e: 'Facebook' };
    const providers = Object.keys(names) as (keyof typeof names)[];
    // Saves the providers in reverse order, because the order of the list must not depend on it.
    for (const provider of providers.toReversed()) {
      await saveProvider(app, provider, { public_config: CREDENTIALS, secret: 'long enough' });
      expect(await offered()).toContain(provider);
    }
    const { oauth } = await optionsOf(app);
    expect(oauth).toEqual(
      providers.map((provider) => ({
        provider,
        name: names[provider],
        start_url: `http://localhost:8080/v1/auth/oauth/${provider}/start`,
      })),
    );
    expect(await begin(createBrowser(app), 'oauth_b')).toMatch(/^https:\/\/github\.com\//);
    await saveProvider(app, 'oauth_b', { public_config: CREDENTIALS, enabled: false });
    await saveProvider(app, 'oauth_d', { public_config: { client_id: 'client' } });
    expect(await offered()).toEqual(['oauth_a', 'oauth_c', 'oauth_e']);
    for (const provider of ['oauth_b', 'oauth_d']) {
      expect((await createBrowser(app).get(`/auth/oauth/${provider}/start`)).status).toBe(404);
    }
  });

  it('the request sends no query to the database', async () => {
    const { statements } = await recorded(app, () => optionsOf(app));
    expect(statements).toEqual([]);
  });

  it('a provider with credentials from the environment is offered until a stored row disables it', async () => {
    const other = await startTestApp({ environment: { CONFIG_ENCRYPTION_KEY: CONFIG_KEY, ...GOOGLE } });
    expect(await offered(other)).toEqual(['oauth_a']);
    await saveProvider(other, 'oauth_a', { public_config: { client_id: 'client' }, enabled: false });
    expect(await offered(other)).toEqual([]);
    await other.close();
  });

  it('registration is false if closed; start_url follows ROUTE_PREFIX', async () => {
    const other = await startTestApp({ environment: { REGISTRATION: 'closed', ROUTE_PREFIX: '/id/v2', ...GOOGLE } });
    const answer = await other.server.inject('/id/v2/auth/providers');
    expect(answer.json()).toMatchObject({
      registration: false,
      oauth: [{ start_url: 'http://localhost:8080/id/v2/auth/oauth/oauth_a/start' }],
    });
    await other.close();
  });

  it.each([
    ['https://id.example.com', true],
    ['http://localhost:8080', true],
    ['http://id.localhost:8080', true],
    ['http://id.example.com', false],
    ['http://localhost.example.com', false],
    ['http://notlocalhost', false],
    ['https://192.0.2.1', false],
    ['http://127.0.0.1:8080', false],
    ['https://[2001:db8::1]', false],
  ])('with PUBLIC_BASE_URL %s the response has passkey: %s', async (PUBLIC_BASE_URL, passkey) => {
    expect(await optionsWith({ PUBLIC_BASE_URL })).toMatchObject({ passkey });
  });

  it.each([
    [{}, false],
    [{ SMTP_URL: 'smtp://127.0.0.1:9' }, true],
    [{ EMAIL_API_KEY: 're_123', EMAIL_FROM: 'id@example.com' }, true],
  ])('in production with the settings %o the response has email_otp: %s', async (environment, email_otp) => {
    const production = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com' };
    expect(await optionsWith({ ...production, ...environment })).toMatchObject({ email_otp });
  });
});
