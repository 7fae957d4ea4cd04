import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PAGES } from '@gatehouse/web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BRAND } from '../../../test/brand.ts';
import { newEmail, PASSWORD } from '../../../test/browser.ts';
import { startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';

const app = useTestApp({
  environment: {
    ROUTE_PREFIX: '/api',
    REDIRECT_ORIGINS: 'https://a.example.com,https://b.example.com',
    DEFAULT_LOCALE: 'de',
    BRAND_NAME: 'Example & Co',
  },
});

const assets = readdirSync(join(import.meta.dirname, '../../../../web/dist/assets'));
const settingsOf = (html: string) =>
  JSON.parse(/name="gatehouse" content="([^"]*)"/.exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));

describe('the pages of the web app', () => {
  it.each(Object.entries(PAGES))('the page %s is the HTML document with the script %s', async (path, entry) => {
    const answer = await app.server.inject(path.replace(/:\w+/, 'x'));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.body).toContain(`/assets/${entry}-`);
    expect(answer.body).not.toContain('{{');
  });

  it('pages have a strict policy: no inline script, and a nonce per response for styles', async () => {
    const answers = await Promise.all([app.server.inject('/sign-in'), app.server.inject('/sign-in')]);
    const nonces = answers.map(({ body, headers }) => {
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([\w-]{22})'/.exec(policy)![1]!;
      expect(body).toContain(`nonce="${nonce}"`);
      expect(body).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style/i);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('pages contain the settings they need, and no secrets', async () => {
    const { body } = await app.server.inject('/sign-in');
    expect(settingsOf(body)).toEqual({
      api: '/api',
      development: true,
      redirect_origins: ['https://a.example.com', 'https://b.example.com'],
      default_locale: 'de',
      account_language: null,
      brand: { ...BRAND, name: 'Example & Co' },
      password_min_strength: 0,
    });
  });

  it('pages have the name, the icon and the language in the HTML as served', async () => {
    const { body } = await app.server.inject('/sign-in');
    expect(body).toContain('<html lang="de" data-hosted>');
    expect(body).toContain('<title>Example &amp; Co</title>');
    expect(body).toContain('<link rel="icon" href="data:image/svg+xml');
    expect(body).toContain('Example &amp; Co braucht JavaScript.');
    const english = await app.server.inject({ url: '/sign-in', headers: { 'accept-language': 'en' } });
    expect(english.body).toContain('<html lang="en" data-hosted>');
  });

  it.each([
    ['/sign-in', '', ['/api/auth/providers'], 'hosted-text'],
    ['/forgot-password', 'service_csrf=a', [], 'hosted-text'],
    ['/account', '', [], 'app-text'],
    ['/organization/members', '', [], 'organization-text'],
    ['/console/users/x', '', [], 'console-text'],
    ['/console/users/x', 'service_csrf=a', ['/api/auth/session', '/api/users/me'], 'console-text'],
  ])(
    'the document of %s with cookie "%s" preloads existing scripts, the API requests %j, and the English text %s, of no other area',
    async (url, cookie, calls, text) => {
      const { body } = await app.server.inject({ url, headers: { cookie, 'accept-language': 'en' } });
      const links = [...body.matchAll(/<link rel="(?:module)?preload"[^>]*href="([^"]*)"/g)].map(([, link]) => link!);
      expect(links.filter((link) => !link.startsWith('/assets/'))).toEqual(calls);
      const files = links.filter((link) => link.startsWith('/assets/')).map((link) => link.slice('/assets/'.length));
      expect(files.filter((file) => !assets.includes(file))).toEqual([]);
      expect(files.join(' ')).toMatch(new RegExp(`\\b${text}-en-`));
      const others = files.filter((file) => /^(?:organization|console)-text-/.test(file) && !file.startsWith(text));
      expect(others).toEqual([]);
      expect(files.join(' ')).not.toMatch(/-de-/);
    },
  );

  it('pages are in the language of the account once signed in', async () => {
    const payload = { email: newEmail(), password: PASSWORD, organization_name: 'Example', locale: 'en' };
    const registered = await app.server.inject({ method: 'POST', url: '/api/auth/register', payload });
    const cookie = `service_at=${registered.json().access_token}`;
    const { body } = await app.server.inject({ url: '/account', headers: { cookie, 'accept-language': 'de' } });
    expect(body).toContain('<html lang="en">');
    expect(settingsOf(body).account_language).toBe('en');
  });

  it('pages have the setting `development` false in production', async () => {
    const production = await startTestApp({ environment: { NODE_ENV: 'production' } });
    expect(settingsOf((await production.server.inject('/')).body).development).toBe(false);
    await production.close();
  });

  it.each(['/account/nothing', '/console/x', '/assets', '/assets/', '/index.html', '/hosted.html', '/login/'])(
    '%s is not a page',
    async (path) => {
      const answer = await app.server.inject({ url: path, headers: { accept: 'text/html' } });
      expect(answer.statusCode).toBe(404);
    },
  );
});

describe('redirects', () => {
  it.each([
    ...Object.keys(PAGES)
      .filter((path) => path !== '/')
      .map((path) => path.replace(/:\w+/, 'a%20b'))
      .flatMap((path) => [
        [`${path}/`, 308, path] as const,
        [`${path}/?a=/b/&c=%2F`, 308, `${path}?a=/b/&c=%2F`] as const,
      ]),
    ['/docs/?a=b', 308, '/docs?a=b'],
    ['/dev/mail/', 308, '/dev/mail'],
    ['/login', 302, '/sign-in'],
    ['/login?redirect_to=%2Faccount', 302, '/sign-in?redirect_to=%2Faccount'],
    ['/signin?a=b?c', 302, '/sign-in?a=b?c'],
    ['/.well-known/change-password', 302, '/account/security'],
    ['/.well-known/change-password?x=1', 302, '/account/security'],
  ] as const)('%s redirects with %s to %s', async (url, status, location) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await app.server.inject({ method, url });
      expect([answer.statusCode, answer.headers.location]).toEqual([status, location]);
    }
  });
});

describe('logos', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  let folder: string;
  let branded: TestApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gh-logo-'));
    writeFileSync(join(folder, 'logo.svg'), SVG);
    writeFileSync(join(folder, 'dark.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
    branded = await startTestApp({
      environment: {
        BRAND_LOGO: join(folder, 'logo.svg'),
        BRAND_LOGO_DARK: join(folder, 'dark.png'),
        BRAND_COLOR: '#006400',
        PRIVACY_URL: 'https://example.com/privacy',
        TERMS_URL: 'https://example.com/terms',
        PASSWORD_MIN_STRENGTH: '3',
      },
    });
  });
  afterAll(async () => {
    await branded.close();
    rmSync(folder, { recursive: true });
  });

  it('are served with their type, nosniff and a policy that allows no scripts', async () => {
    const answer = await branded.server.inject('/brand/logo');
    expect([answer.statusCode, answer.body]).toEqual([200, SVG]);
    expect(answer.headers['content-type']).toBe('image/svg+xml');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('sandbox');
    expect(policy).not.toContain('script');
    expect((await branded.server.inject('/brand/logo-dark')).headers['content-type']).toBe('image/png');
    const etag = String(answer.headers.etag);
    const again = await branded.server.inject({ url: '/brand/logo', headers: { 'if-none-match': etag } });
    expect(again.statusCode).toBe(304);
  });

  it('are 404 without the setting', async () => {
    for (const path of ['/brand/logo', '/brand/logo-dark', '/brand/other']) {
      expect((await app.server.inject(path)).statusCode).toBe(404);
    }
  });

  it('are in the served HTML of every page, with the brand colour and links', async () => {
    for (const path of Object.keys(PAGES)) {
      const { body } = await branded.server.inject(path.replace(/:\w+/, 'x'));
      expect(body).toContain('<link rel="icon" href="/brand/logo">');
      expect(body).toContain('<img class="logo" src="/brand/logo" alt="Gatehouse" height="28">');
      expect(body).toContain('<a href="https://example.com/privacy">');
      expect(body).toMatch(/<style nonce="[\w-]{22}">html:root \{ --accent: #006400;/);
      expect(settingsOf(body)).toMatchObject({
        brand: {
          logo: '/brand/logo',
          logo_dark: '/brand/logo-dark',
          color: '#006400',
          privacy_url: 'https://example.com/privacy',
          terms_url: 'https://example.com/terms',
          support_url: null,
        },
        password_min_strength: 3,
      });
    }
    for (const path of ['/docs', '/dev/mail', '/nothing']) {
      const { body } = await branded.server.inject({ url: path, headers: { accept: 'text/html' } });
      expect(body).toContain('<source srcset="/brand/logo-dark" media="(prefers-color-scheme: dark)">');
      expect(body).toContain('--accent: #006400');
    }
  });
});

describe('/assets', () => {
  const script = assets.find((name) => /^hosted-.*\.js$/.test(name))!;
  const get = (name: string, encoding?: string) =>
    app.server.inject({
      url: `/assets/${name}`,
      headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
    });

  it('assets are cached forever, with their content type', async () => {
    const answer = await get(script);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect((await get(assets.find((name) => name.endsWith('.css'))!)).headers['content-type']).toBe(
      'text/css; charset=utf-8',
    );
  });

  it('every file of the build is served under /assets', async () => {
    for (const name of assets.filter((name) => /\.(js|css)$/.test(name))) {
      expect((await get(name)).statusCode, name).toBe(200);
    }
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['brx, *', undefined],
  ])('for a browser that accepts %s, assets are encoded as %s', async (accepted, encoding) => {
    const answer = await get(script, accepted);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toContain('accept-encoding');
    const plain = (await get(script)).body;
    const read = { br: brotliDecompressSync, gzip: gunzipSync, identity: (raw: Buffer) => raw };
    expect(read[(encoding ?? 'identity') as 'br'](answer.rawPayload).toString()).toBe(plain);
  });

  it.each([
    'nothing.js',
    '..%2Fhosted.html',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    `${script}.br`,
    'constructor',
    '.js',
    '%00.js',
  ])('404 for the asset %s', async (name) => {
    expect((await get(name)).statusCode).toBe(404);
  });
});
