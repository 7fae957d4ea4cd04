import { afterEach, describe, expect, it, vi } from 'vitest';
import { featuresOf } from '../../server/src/app.ts';
import { loadConfig } from '../../server/src/platform/config/load.ts';
import { SECRET } from '../../server/test/harness.ts';
import { createClient } from './index.ts';

/** Endpoints that a browser navigates to or loads itself, and refresh, which the client sends by itself. */
const NOT_CALLED = [
  'GET /auth/sso/:connection_id/start',
  'GET /auth/sso/:connection_id/callback',
  'GET /auth/oauth/:provider/start',
  'GET /auth/oauth/:provider/callback',
  'POST /auth/oauth/:provider/callback',
  'GET /avatars/:file',
  'GET /admin/audit-export',
];

const config = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080', NODE_ENV: 'production' });
const endpoints = featuresOf(config)
  .flatMap(({ routes }) => routes)
  .filter(({ atBase, produces }) => !atBase && produces !== 'text/html')
  .flatMap(({ method, path }) => [method].flat().map((verb) => `${verb} ${path}`))
  .filter((name) => !name.includes(' /.well-known'));

afterEach(() => vi.unstubAllGlobals());

describe('createClient', () => {
  it('has a call for every endpoint, and no call without an endpoint', async () => {
    vi.stubGlobal('document', { cookie: 'service_csrf=x' });
    const made = new Set<string>();
    const fetch = (async (address: string, { method = 'GET' }: RequestInit = {}) => {
      made.add(`${method} ${address.replace('/v1', '').replace(/\?.*/, '')}`);
      return address.endsWith('/auth/refresh') ? Response.json({}) : new Response(null, { status: 204 });
    }) as typeof globalThis.fetch;
    const { operations: _, audit, ...groups } = createClient({ base: '/v1', fetch });
    const calls = [...Object.values(groups).flatMap((group) => Object.values(group)), audit.list, audit.checkExport];
    for (const call of calls) await (call as (...given: string[]) => Promise<unknown>)('ID', 'ID', 'ID');
    const pattern = (name: string) => new RegExp(`^${name.replaceAll(/:\w+/g, 'ID')}$`);
    const hits = (name: string) => [...made].some((request) => pattern(name).test(request));
    expect(endpoints.filter((name) => !hits(name) && !NOT_CALLED.includes(name))).toEqual([]);
    const known = [...endpoints, 'HEAD /admin/audit-export'].map(pattern);
    expect([...made].filter((request) => !known.some((name) => name.test(request)))).toEqual([]);
  });
});
