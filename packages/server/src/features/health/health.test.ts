import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('§4.1 operations', () => {
  it('/healthz', async () => {
    const response = await app.server.inject('/healthz');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ status: 'ok' });
  });

  it('/readyz', async () => {
    const response = await app.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok', signing_key: 'ok', mail: 'ok' },
      provider_config: { degraded: false, providers: [] },
    });
  });

  it('/readyz is 503 while stopping; /healthz is not', async () => {
    Object.assign(app.deps.lifecycle, { leaving: true, stopping: true });
    expect((await app.server.inject('/readyz')).statusCode).toBe(503);
    const alive = await app.server.inject('/healthz');
    expect(alive.statusCode).toBe(200);
    expect(alive.headers.connection).toBe('close');
    Object.assign(app.deps.lifecycle, { leaving: false, stopping: false });
  });

  it('/readyz stays 200 while another process of the service takes over; connections end', async () => {
    app.deps.lifecycle.leaving = true;
    const response = await app.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
    app.deps.lifecycle.leaving = false;
  });

  it('/readyz says so when mail cannot leave, and stays 200', async () => {
    const silent = await startTestApp({ environment: { NODE_ENV: 'production' } });
    const response = await silent.server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.json().checks.mail).toBe('failed');
    await silent.close();
  });

  it('/readyz is 503 with a migration missing, and names it', async () => {
    const behind = await startTestApp();
    await behind.deps.db.deleteFrom('schema_migrations').execute();
    const response = await behind.server.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ status: 'not_ready', checks: { database: 'ok', migrations: 'failed' } });
    await behind.close();
  });

  it('/metrics speaks Prometheus, by route template', async () => {
    await app.server.inject('/no/such/path?token=hidden');
    const response = await app.server.inject('/metrics');
    expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(response.body).toMatch(
      /gatehouse_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} \d/,
    );
    expect(response.body).toContain('route="unmatched"');
    expect(response.body).toContain('gatehouse_mails');
    expect(response.body).toContain('gatehouse_bus_fresh 1');
    expect(response.body).not.toContain('hidden');
  });
});
