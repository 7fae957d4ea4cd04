import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertSession, startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';
import { VERSION } from '../../version.ts';
import { checkReadiness } from './readiness.ts';

const app = useTestApp();

describe('§4.1 operations', () => {
  it('/healthz returns 200', async () => {
    const response = await app.server.inject('/healthz');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ status: 'ok' });
  });

  it('/readyz returns 200 with the result of each check', async () => {
    const response = await app.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'ready',
      version: VERSION,
      checks: { database: 'ok', migrations: 'ok', signing_key: 'ok', mail: 'ok' },
      provider_config: { degraded: false, providers: [] },
    });
  });

  it('/readyz queries the database once for concurrent probes', async () => {
    let asked = 0;
    const { reservedDb } = app.deps;
    const counting = reservedDb.withPlugin({
      transformQuery: ({ node }) => {
        asked++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => checkReadiness({ ...app.deps, reservedDb: counting })),
    );
    expect(answers.every(({ status }) => status === 'ready')).toBe(true);
    const once = asked;
    await checkReadiness({ ...app.deps, reservedDb: counting });
    expect(asked).toBe(2 * once);
  });

  it('/readyz is 503 while stopping; /healthz stays 200', async () => {
    Object.assign(app.deps.lifecycle, { leaving: true, stopping: true });
    expect((await app.server.inject('/readyz')).statusCode).toBe(503);
    const alive = await app.server.inject('/healthz');
    expect(alive.statusCode).toBe(200);
    expect(alive.headers.connection).toBe('close');
    Object.assign(app.deps.lifecycle, { leaving: false, stopping: false });
  });

  it('/readyz stays 200 while another process takes over the port; connections are closed', async () => {
    app.deps.lifecycle.leaving = true;
    const response = await app.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
    app.deps.lifecycle.leaving = false;
  });

  it('/readyz reports a missing mail transport and stays 200', async () => {
    const silent = await startTestApp({ environment: { NODE_ENV: 'production' } });
    const response = await silent.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.json().checks.mail).toBe('failed');
    await silent.close();
  });

  it('/readyz is 503 with a pending migration, and names it', async () => {
    const behind = await startTestApp();
    await behind.deps.db.deleteFrom('schema_migrations').execute();
    const response = await behind.server.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ status: 'not_ready', checks: { database: 'ok', migrations: 'failed' } });
    await behind.close();
  });

  it('/metrics returns the Prometheus format, by route template', async () => {
    await app.server.inject('/no/such/path?token=hidden');
    const response = await app.server.inject('/metrics');
    expect(response.body).toContain(`gatehouse_build_info{version="${VERSION}"} 1`);
    expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(response.body).toMatch(
      /gatehouse_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} \d/,
    );
    expect(response.body).toContain('route="unmatched"');
    expect(response.body).toContain('gatehouse_mails');
    expect(response.body).toContain('gatehouse_bus_fresh 1');
    expect(response.body).not.toContain('hidden');
  });

  describe('GET /metrics with METRICS_TOKEN', () => {
    const METRICS_TOKEN = 'q7wkz1v0cJ8nT4e2';
    let guarded: TestApp;
    beforeAll(async () => {
      guarded = await startTestApp({ environment: { METRICS_TOKEN } });
    });
    afterAll(() => guarded.close());
    const ask = (authorization?: string, method: 'GET' | 'HEAD' = 'GET') =>
      guarded.server.inject({ method, url: '/metrics', headers: authorization === undefined ? {} : { authorization } });

    it.each([`Bearer ${METRICS_TOKEN}`, `bearer ${METRICS_TOKEN}`])('/metrics is 200 for %s', async (authorization) => {
      const response = await ask(authorization);
      expect(response.statusCode).toBe(200);
      expect(response.body).toContain('gatehouse_mails');
    });

    it.each([
      undefined,
      '',
      'Bearer',
      'Bearer ',
      METRICS_TOKEN,
      `Basic ${Buffer.from(`user:${METRICS_TOKEN}`).toString('base64')}`,
      `Bearer ${METRICS_TOKEN.slice(0, -1)}`,
      `Bearer ${METRICS_TOKEN}x`,
      `Bearer ${METRICS_TOKEN.toUpperCase()}`,
    ])('/metrics is 401 for Authorization %j, without any metric', async (authorization) => {
      const response = await ask(authorization);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ error: { code: 'authentication_required' } });
      expect(response.body).not.toMatch(/gatehouse_|q7wkz/);
      expect((await ask(authorization, 'HEAD')).statusCode).toBe(401);
    });

    it('/metrics is 401 for an access token, even of a platform owner', async () => {
      const { access_token } = await insertSession(guarded, { platform_role: 'owner' });
      expect((await ask(`Bearer ${access_token}`)).statusCode).toBe(401);
    });

    it('/healthz and /readyz need no token', async () => {
      for (const url of ['/healthz', '/readyz']) expect((await guarded.server.inject(url)).statusCode).toBe(200);
    });
  });
});
