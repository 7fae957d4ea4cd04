import { createHash } from 'node:crypto';
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
  it('GET /openapi.json describes the service with its base URL and prefix, including itself', async () => {
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

  it('GET /openapi.json returns 304 when the ETag matches', async () => {
    const { etag } = (await app.server.inject('/openapi.json')).headers;
    const again = await app.server.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
  });
});

describe('GET /docs', () => {
  it('GET /docs is a page whose policy allows its own style sheet and no script', async () => {
    const answer = await app.server.inject('/docs');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    const style = /<style>([\s\S]*)<\/style>/.exec(answer.body)![1]!;
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(answer.body).toContain('curl -X POST http://localhost:8080/api/id/auth/login');
  });

  it('GET /docs is rendered once', async () => {
    await app.server.inject('/docs');
    expect(described).toBe(1);
  });
});
