import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PAGES } from '@gatehouse/web';
import { describe, expect, it } from 'vitest';
import { startTestApp, useTestApp } from '../../../test/harness.ts';

const app = useTestApp({
  environment: {
    ROUTE_PREFIX: '/api',
    REDIRECT_ORIGINS: 'https://a.example.com,https://b.example.com',
    DEFAULT_LOCALE: 'de',
  },
});

const assets = readdirSync(join(import.meta.dirname, '../../../../web/dist/assets'));
const settingsOf = (html: string) =>
  JSON.parse(/name="gatehouse" content="([^"]*)"/.exec(html)![1]!.replaceAll('&quot;', '"'));

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
    });
  });

  it('pages have the setting `development` false in production', async () => {
    const production = await startTestApp({ environment: { NODE_ENV: 'production' } });
    expect(settingsOf((await production.server.inject('/')).body).development).toBe(false);
    await production.close();
  });

  it.each(['/sign-in/', '/account/nothing', '/console/x', '/assets', '/assets/', '/index.html', '/hosted.html'])(
    '%s is not a page, whatever Accept is',
    async (path) => {
      const answer = await app.server.inject({ url: path, headers: { accept: 'text/html' } });
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found']);
    },
  );
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
