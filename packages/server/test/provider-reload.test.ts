import { afterEach, expect, it, vi } from 'vitest';
import { rowOf, storeRow } from '../src/domain/providers/rows-fixture.ts';
import { startTestApp } from './harness.ts';

afterEach(() => vi.useRealTimers());

it('§8 provider reload: a change that nobody told of is in force after 30 seconds', async () => {
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
