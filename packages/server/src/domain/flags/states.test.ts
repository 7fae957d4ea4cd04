import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer, createBrowser } from '../../../test/browser.ts';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { recorded } from '../../../test/records.ts';
import { flagsChanged } from './states.ts';

const app = useTestApp();
let session: Awaited<ReturnType<typeof insertSession>>;
let organization_id: string;
beforeAll(async () => {
  session = await insertSession(app);
  organization_id = session.organization_id;
});
beforeEach(async () => {
  await app.deps.db.deleteFrom('feature_flags').execute();
  await app.deps.bus.deliver([flagsChanged(null), flagsChanged(organization_id)]);
  await set(true, null);
});

/** Changes the row without announcing an event. */
const set = (enabled: boolean, organization: string | null) =>
  app.deps.db
    .insertInto('feature_flags')
    .values({ flag_key: 'beta', organization_id: organization, enabled, value: null, updated_at: app.clock.now() })
    .onConflict((conflict) => conflict.columns(['flag_key', 'organization_id']).doUpdateSet({ enabled }))
    .execute();

const isOn = async () => (await app.deps.flags.find(organization_id)).beta?.enabled;

describe('cached feature flags', () => {
  it('are kept until a change event for the same rows', async () => {
    expect(await isOn()).toBe(true);
    await set(false, null);
    expect(await isOn()).toBe(true);
    await app.deps.bus.deliver([flagsChanged(organization_id)]);
    expect(await isOn()).toBe(true);
    await app.deps.bus.deliver([flagsChanged(null)]);
    expect(await isOn()).toBe(false);
    await set(true, organization_id);
    expect(await isOn()).toBe(false);
    await app.deps.bus.deliver([flagsChanged(organization_id)]);
    expect(await isOn()).toBe(true);
  });

  it('feature flags need no query per request once they are cached', async () => {
    const ask = () => createBrowser(app).get('/feature-flags', bearer(session.access_token));
    const first = await ask();
    expect(first.json).toEqual({ beta: { enabled: true, value: null } });
    await set(false, null);
    const { result, statements } = await recorded(app, ask);
    expect(statements).toEqual([]);
    expect(result.text).toBe(first.text);
  });

  it.each([null, 'own'])(
    'feature flags are not cached if a change event arrives while they are read: %s',
    async (whose) => {
      const scope = whose === null ? null : organization_id;
      const reading = isOn();
      await app.deps.bus.deliver([flagsChanged(scope)]);
      await reading;
      await set(false, scope);
      expect(await isOn()).toBe(false);
    },
  );
});
