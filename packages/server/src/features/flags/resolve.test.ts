import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { createFlagAdmin, type FlagAdmin, forgetFlags } from './flags-fixture.ts';

const app = useTestApp();
let admin: FlagAdmin;
let one: FlagAdmin;
let other: FlagAdmin;
beforeAll(async () => {
  admin = await createFlagAdmin(app);
  one = await createFlagAdmin(app, null);
  other = await createFlagAdmin(app, null);
});
beforeEach(() => forgetFlags(app));

describe('§4.11 GET /feature-flags', () => {
  it('the response is an empty object if there are no flags', async () => {
    expect(await one.flags()).toMatchObject({ status: 200, text: '{}' });
  });

  it('the overrides of the organization are applied, and those of other organizations are not', async () => {
    await admin.put({ flag_key: 'everywhere', enabled: true, value: { from: 'default' } });
    await admin.put({ flag_key: 'overridden', enabled: true, value: { from: 'default' } });
    await admin.put({ flag_key: 'overridden', enabled: false, organization_id: one.organization_id });
    await admin.put({
      flag_key: 'of-one-alone',
      enabled: true,
      value: { from: 'one' },
      organization_id: one.organization_id,
    });
    const everywhere = { enabled: true, value: { from: 'default' } };
    expect((await one.flags()).json).toEqual({
      everywhere,
      // An override replaces the whole row: its value is null, not the default's.
      overridden: { enabled: false, value: null },
      'of-one-alone': { enabled: true, value: { from: 'one' } },
    });
    expect((await other.flags()).json).toEqual({ everywhere, overridden: everywhere });
  });

  it('requires a session but no role', async () => {
    expect((await one.flags()).status).toBe(200);
    expect((await admin.flags()).status).toBe(200);
    const answer = await app.server.inject({ url: '/v1/feature-flags' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'authentication_required']);
  });
});
