import { PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { LOST_KEY, NEW_KEY, rowOf, storeRow } from '../../domain/provider-settings/rows-fixture.ts';

const database = useTestDatabase();
let app: TestApp;
beforeAll(async () => {
  await storeRow(database.db, rowOf('email_transport', { key: LOST_KEY }));
  await storeRow(database.db, rowOf('oauth_b'));
  await storeRow(database.db, rowOf('oauth_d', { public_config: {} }));
  await storeRow(database.db, rowOf('oauth_e', { enabled: false, key: LOST_KEY }));
  app = await startTestApp({ database, environment: { CONFIG_ENCRYPTION_KEY: NEW_KEY } });
});
afterAll(async () => {
  await app.close();
});

const ready = async () => {
  const { statusCode, body } = await app.server.inject('/readyz');
  return { status: statusCode, ...JSON.parse(body).provider_config };
};

describe('stored configuration that cannot be applied', () => {
  it('is reported in the metrics for every provider', async () => {
    const { body } = await app.server.inject('/metrics');
    expect(body.match(/^gatehouse_provider_degraded\{.*$/gm)).toEqual(
      PROVIDERS.map((provider) => {
        const degraded = ['email_transport', 'oauth_d'].includes(provider) ? 1 : 0;
        return `gatehouse_provider_degraded{provider="${provider}"} ${degraded}`;
      }),
    );
  });

  it('is named in /readyz, which stays 200, until it is fixed', async () => {
    expect(await ready()).toMatchObject({ status: 200, degraded: true, providers: ['email_transport', 'oauth_d'] });
    expect((await ready()).reasons).toEqual({ email_transport: 'key_unknown', oauth_d: 'fields_missing' });
    await storeRow(database.db, rowOf('oauth_d'));
    await app.deps.providers.reload();
    expect(await ready()).toMatchObject({ status: 200, degraded: true, providers: ['email_transport'] });
    await storeRow(database.db, rowOf('email_transport', { enabled: false }));
    await app.deps.providers.reload();
    expect(await ready()).toEqual({ status: 200, degraded: false, providers: [] });
  });
});

describe('mail transport from a stored row alone', () => {
  it('/readyz reports in production that a mail transport from a stored row alone is usable', async () => {
    const production = { NODE_ENV: 'production', CONFIG_ENCRYPTION_KEY: NEW_KEY };
    const silent = await startTestApp({ environment: production });
    const mail = async () => (await silent.server.inject('/readyz')).json().checks.mail;
    expect(await mail()).toBe('failed');
    await storeRow(silent.deps.db, rowOf('email_transport'));
    await silent.deps.providers.reload();
    expect(await mail()).toBe('ok');
    await silent.close();
  });
});
