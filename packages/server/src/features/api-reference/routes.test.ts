import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { SAMPLE_FEATURES } from '../../http/openapi-fixture.ts';
import type { Feature } from '../../http/route.ts';
import { reference } from './routes.ts';

let app: TestApp;
let described = 0;

beforeAll(async () => {
  const others = SAMPLE_FEATURES.slice(0, 2);
  const features: Feature[] = [
    ...others,
    reference(() => {
      described++;
      return features;
    }, '1.2.3'),
  ];
  app = await startTestApp({ features, environment: { ROUTE_PREFIX: '/api/id' } });
});
afterAll(() => app.close());

describe('GET /openapi.json', () => {
  it('describes the service with its base URL and prefix, including itself', async () => {
    const answer = await app.server.inject('/openapi.json');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    const { servers, paths, info } = answer.json();
    expect(servers).toEqual([{ url: 'http://localhost:8080' }]);
    expect(info.version).toBe('1.2.3');
    expect(Object.keys(paths)).toContain('/api/id/auth/login');
    expect(Object.keys(paths)).toContain('/openapi.json');
    expect(Object.keys(paths)).not.toContain('/docs');
  });

  it('returns 304 when the ETag matches', async () => {
    const { etag } = (await app.server.inject('/openapi.json')).headers;
    const again = await app.server.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
  });
});

describe('GET /docs', () => {
  it('is a page whose policy allows its own style sheet and its own script', async () => {
    const answer = await app.server.inject('/docs');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    const style = /<style>([\s\S]*)<\/style>/.exec(answer.body)![1]!;
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    const script = /<script>([\s\S]*)<\/script>/.exec(answer.body)![1]!;
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(policy).not.toMatch(/unsafe|connect-src/);
    expect(answer.body).toContain('curl -X POST http://localhost:8080/api/id/auth/login');
  });

  it('is rendered once', async () => {
    await app.server.inject('/docs');
    expect(described).toBe(1);
  });
});

describe('compression', () => {
  it.each(['/docs', '/openapi.json'])('%s is compressed as the client accepts it', async (url) => {
    const plain = await app.server.inject(url);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('accept-encoding');
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const answer = await app.server.inject({ url, headers: { 'accept-encoding': accepted } });
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(answer.headers.vary).toBe('accept-encoding');
      expect(decode(answer.rawPayload).toString()).toBe(plain.body);
      expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    }
  });

  it('each encoding of /openapi.json has its own ETag', async () => {
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (encoding) => {
        const headers = { 'accept-encoding': encoding };
        const { etag } = (await app.server.inject({ url: '/openapi.json', headers })).headers;
        const again = { ...headers, 'if-none-match': String(etag) };
        expect((await app.server.inject({ url: '/openapi.json', headers: again })).statusCode).toBe(304);
        return etag;
      }),
    );
    expect(new Set(tags).size).toBe(3);
  });
});
