import { afterEach, expect, it, vi } from 'vitest';
import { NEW_KEY, rowOf, storeRow } from '../src/domain/provider-settings/rows-fixture.ts';
import { insertAdministrator } from './administrator.ts';
import { startTestApp } from './harness.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

afterEach(() => vi.useRealTimers());

it('§8 provider reload: a change without a bus event takes effect after 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const app = await startTestApp();
  await storeRow(app.deps.db, rowOf('oauth_b', { enabled: true, sealed_secret: null }));
  vi.advanceTimersByTime(29_900);
  await app.deps.db.selectFrom('provider_configs').select('provider').execute();
  expect(app.deps.providers.degraded()).toEqual([]);
  vi.advanceTimersByTime(100);
  await expect.poll(() => app.deps.providers.degraded()).toHaveLength(1);
  vi.useRealTimers();
  await app.close();
});

it('§8 provider reload: a change at one replica takes effect at the other through the bus, without polling', async () => {
  // Stops the polling of provider settings, so that only the bus can deliver a change.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const environment = { CONFIG_ENCRYPTION_KEY: NEW_KEY };
  const here = await startTestApp({ environment });
  const there = await startTestApp({ environment, database: here.database, clock: here.clock });
  const admin = await insertAdministrator(here, 'admin', here.clock.now());
  const change = (body: object) => admin.put('/admin/integrations/oauth_b', { enabled: true, ...body });
  expect((await change({ public_config: { client_id: 'one' } })).status).toBe(200);
  await expect
    .poll(() => there.deps.providers.degraded(), { timeout: INVALIDATED_WITHIN_MS })
    .toMatchObject([{ provider: 'oauth_b' }]);
  expect((await change({ public_config: { client_id: 'one' }, secret: 'long-enough' })).status).toBe(200);
  await expect.poll(() => there.deps.providers.degraded(), { timeout: INVALIDATED_WITHIN_MS }).toEqual([]);
  vi.useRealTimers();
  await there.close();
  await here.close();
});
