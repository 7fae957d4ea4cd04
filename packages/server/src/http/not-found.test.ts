import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser, registerUser } from '../../test/browser.ts';
import { startTestApp, type TestApp, useTestApp } from '../../test/harness.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const app = useTestApp({ environment: { BRAND_NAME: 'Example & Co', SUPPORT_URL: 'https://help.example.com' } });

const ask = (
  url: string,
  headers: Record<string, string> = { accept: HTML },
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
) => app.server.inject({ method, url, headers });

describe('404 for browsers', () => {
  it.each(['/nothing', '/account/nothing', '/v1x', '/docs/more', '/assets/nothing.js', '/brand/logo', '/%zz'])(
    '%s is a page',
    async (path) => {
      const answer = await ask(path);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-request-id']).toBeTruthy();
      expect(answer.body).toContain('<html lang="en">');
      expect(answer.body).toContain('<title>Page not found · Example &amp; Co</title>');
      expect(answer.body).toContain('href="/sign-in"');
      expect(answer.body).toContain('href="/"');
      expect(answer.body).toContain('href="https://help.example.com/"');
      expect(answer.body).not.toMatch(/<script|\sstyle=/);
      const style = /<style>([\s\S]*)<\/style>/.exec(answer.body)![1]!;
      expect(style).toContain('prefers-color-scheme: dark');
      const hash = createHash('sha256').update(style).digest('base64');
      expect(answer.headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
    },
  );

  it.each([
    '/v1',
    '/v1/nothing',
    '/%76%31/nothing',
    '/.well-known/nothing',
    '/.well-known',
    '/oauth',
    '/oauth/nothing',
  ])('%s is JSON, whatever Accept is', async (path) => {
    const answer = await ask(path);
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found']);
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'image/avif,*/*;q=0.8'])(
    'is JSON with Accept: %s',
    async (accept) => {
      const answer = await ask('/nothing', accept === undefined ? {} : { accept });
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found']);
    },
  );

  it('the page answers only GET and HEAD; other methods get JSON', async () => {
    const head = await ask('/nothing', { accept: HTML }, 'HEAD');
    expect([head.statusCode, head.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await ask('/nothing', { accept: HTML }, 'POST')).json().error.code).toBe('not_found');
  });

  it('the 404 page never replaces another error', async () => {
    const answer = await ask('/v1/users/me', { accept: HTML });
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'authentication_required']);
  });

  it('is in the language of the visitor: of the account if signed in, else of the browser, else the default', async () => {
    const german = { accept: HTML, 'accept-language': 'fr, de-CH;q=0.9, en;q=0.8' };
    const page = await ask('/nothing', german);
    expect(page.body).toContain('<html lang="de">');
    expect(page.body).toContain('Seite nicht gefunden');
    expect(page.headers['content-language']).toBe('de');
    const user = await registerUser(app);
    await user.browser.patch('/users/me', { locale: 'en-GB' }, bearer(user.access_token));
    const cookie = `service_at=${user.access_token}`;
    expect((await ask('/nothing', { ...german, cookie })).body).toContain('<html lang="en">');
    expect((await ask('/nothing', { ...german, cookie: 'service_at=x.y.z' })).body).toContain('<html lang="de">');
    await user.browser.post('/auth/logout');
    expect((await ask('/nothing', { ...german, cookie })).body).toContain('<html lang="de">');
  });

  it('the request is logged as not_found', async () => {
    await ask('/nothing');
    expect(app.logs.filter(({ msg }) => msg === 'request').at(-1)).toMatchObject({ status: 404, error: 'not_found' });
  });
});

describe('with another prefix and language', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startTestApp({ environment: { ROUTE_PREFIX: '/api/id', DEFAULT_LOCALE: 'de' } });
  });
  afterAll(() => other.close());

  it('is JSON below the prefix and a page elsewhere', async () => {
    const send = (url: string) => other.server.inject({ url, headers: { accept: HTML } });
    expect((await send('/api/id/nothing')).json().error.code).toBe('not_found');
    expect((await send('/api')).body).toContain('<html lang="de">');
    expect((await send('/v1/nothing')).body).toContain('<html lang="de">');
    expect((await createBrowser(other).get('/nothing')).json.error.code).toBe('not_found');
  });
});
