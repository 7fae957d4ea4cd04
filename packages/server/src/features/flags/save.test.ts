import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser, suspendOrganization } from '../../../test/records.ts';
import { createFlagAdmin, type FlagAdmin, forgetFlags, rowsIn } from './flags-fixture.ts';

const app = useTestApp();
let admin: FlagAdmin;
let tenant: FlagAdmin;
beforeAll(async () => {
  admin = await createFlagAdmin(app);
  tenant = await createFlagAdmin(app, null);
});
beforeEach(() => forgetFlags(app));

const auditRows = () => auditOf(app, { action: ['feature_flag.updated', 'feature_flag.deleted'] });
const announced = () => app.deps.db.selectFrom('bus_events').select('key').where('topic', '=', 'flags').execute();

describe('§4.11 PUT /admin/feature-flags', () => {
  it('a change creates the default and returns it as in the list', async () => {
    const answer = await admin.put({ flag_key: 'beta', enabled: true, value: { percent: 5, of: ['a', null, 1.5] } });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      flag_key: 'beta',
      organization_id: null,
      enabled: true,
      value: { percent: 5, of: ['a', null, 1.5] },
    });
    expect((await admin.list()).json).toEqual([answer.json]);
  });

  it('a change creates the override of one organization, beside the default', async () => {
    const { organization_id } = tenant;
    await admin.put({ flag_key: 'beta', enabled: true });
    const answer = await admin.put({ flag_key: 'beta', organization_id, enabled: false });
    expect(answer.json).toEqual({ flag_key: 'beta', organization_id, enabled: false, value: null });
    expect(await rowsIn(app)).toHaveLength(2);
  });

  it.each([null, undefined])('organization_id %s means the default', async (organization_id) => {
    const answer = await admin.put({ flag_key: 'beta', organization_id, enabled: true });
    expect(answer).toMatchObject({ status: 200, json: { organization_id: null } });
  });

  it('a change replaces the row: there is one per key and organization, and one per key for the default', async () => {
    for (const organization_id of [null, tenant.organization_id]) {
      await admin.put({ flag_key: 'beta', organization_id, enabled: true, value: { a: 1, b: 2 } });
      const answer = await admin.put({ flag_key: 'beta', organization_id, enabled: false, value: { c: 3 } });
      expect(answer.json).toEqual({ flag_key: 'beta', organization_id, enabled: false, value: { c: 3 } });
    }
    expect(await rowsIn(app)).toHaveLength(2);
  });

  it.each([{}, { value: null }])('an omitted or null value is stored as null: %j', async (rest) => {
    await admin.put({ flag_key: 'beta', enabled: true, value: { a: 1 } });
    const answer = await admin.put({ flag_key: 'beta', enabled: true, ...rest });
    expect(answer.json.value).toBeNull();
    expect((await rowsIn(app))[0]?.value).toBeNull();
  });

  it('accepts a suspended organization, and an id in upper case', async () => {
    const { organization_id } = await createFlagAdmin(app, null);
    await suspendOrganization(app, organization_id);
    const answer = await admin.put({
      flag_key: 'beta',
      organization_id: organization_id.toUpperCase(),
      enabled: true,
    });
    expect(answer).toMatchObject({ status: 200, json: { organization_id } });
    const again = await admin.put({ flag_key: 'beta', organization_id, enabled: true });
    expect(again).toMatchObject({ status: 200, json: { organization_id } });
    expect(await rowsIn(app)).toHaveLength(1);
  });

  it('400 for an unknown organization', async () => {
    const answer = await admin.put({ flag_key: 'beta', organization_id: uuid(), enabled: true });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_input', message: 'organization_id: there is no such organization' } },
    });
    expect(await rowsIn(app)).toEqual([]);
  });

  it.each([
    ['flag_key: is required', { enabled: true }],
    ['flag_key: must be a string', { flag_key: 7, enabled: true }],
    ['flag_key: must be 1 to 120 characters', { flag_key: '', enabled: true }],
    ['flag_key: must be 1 to 120 characters', { flag_key: 'x'.repeat(121), enabled: true }],
    ['flag_key: must be printable characters without spaces', { flag_key: 'new dashboard', enabled: true }],
    ['flag_key: must be printable characters without spaces', { flag_key: 'größe', enabled: true }],
    ['flag_key: must be printable characters without spaces', { flag_key: 'a\u0000', enabled: true }],
    ['flag_key: must not be . or .., which cannot be part of a path', { flag_key: '.', enabled: true }],
    ['flag_key: must not be . or .., which cannot be part of a path', { flag_key: '..', enabled: true }],
    ['enabled: is required', { flag_key: 'beta' }],
    ['enabled: must be a boolean', { flag_key: 'beta', enabled: 'true' }],
    ['organization_id: must be a UUID', { flag_key: 'beta', enabled: true, organization_id: 'mine' }],
    ['organization_id: must be a UUID', { flag_key: 'beta', enabled: true, organization_id: '' }],
    ['value: must be an object or null', { flag_key: 'beta', enabled: true, value: 'on' }],
    ['value: must be an object or null', { flag_key: 'beta', enabled: true, value: [1] }],
    ['value: must be an object or null', { flag_key: 'beta', enabled: true, value: 1 }],
    ['body: must be a JSON object', [{ flag_key: 'beta', enabled: true }]],
  ])('400 with the message "%s"', async (message, body) => {
    const answer = await admin.put(body);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_input', message } } });
  });

  it('a change takes effect in this process at once', async () => {
    const { organization_id } = tenant;
    await tenant.flags();
    await admin.put({ flag_key: 'beta', enabled: true });
    expect((await tenant.flags()).json).toEqual({ beta: { enabled: true, value: null } });
    await admin.put({ flag_key: 'beta', enabled: false, organization_id, value: { why: 'not yet' } });
    expect((await tenant.flags()).json).toEqual({ beta: { enabled: false, value: { why: 'not yet' } } });
    await admin.put({ flag_key: 'beta', enabled: false });
    expect((await admin.flags()).json).toEqual({ beta: { enabled: false, value: null } });
  });

  it('each change is announced to the other replicas, with its scope', async () => {
    const before = (await announced()).length;
    const { organization_id } = tenant;
    await admin.put({ flag_key: 'beta', enabled: true });
    await admin.put({ flag_key: 'beta', enabled: true, organization_id });
    expect((await announced()).slice(before)).toEqual([{ key: 'defaults' }, { key: organization_id }]);
  });

  it('a change is audited with key, scope and state, in the organization of the override', async () => {
    const before = (await auditRows()).length;
    const { organization_id } = tenant;
    await admin.put({ flag_key: 'beta', enabled: true, value: { secret: 'not for the trail' } });
    await admin.put({ flag_key: 'beta', enabled: false, organization_id });
    const row = {
      action: 'feature_flag.updated',
      actor_id: admin.user_id,
      resource_type: 'feature_flag',
      resource_id: 'beta',
      outcome: 'success',
    };
    const rows = (await auditRows()).slice(before);
    expect(rows).toMatchObject([
      { ...row, organization_id: NIL_UUID },
      { ...row, organization_id },
    ]);
    expect(rows.map(({ metadata }) => metadata)).toEqual([
      { flag_key: 'beta', scope: 'global', enabled: true },
      { flag_key: 'beta', scope: 'organization', enabled: false },
    ]);
  });

  it('a change without effect is 200, is neither audited nor announced, and keeps updated_at', async () => {
    const body = { flag_key: 'beta', enabled: true, value: { a: { b: [1] }, c: 2 } };
    const first = await admin.put(body);
    const [stored] = await rowsIn(app);
    const [audited, announcements] = [(await auditRows()).length, (await announced()).length];
    app.clock.advance(1);
    const again = await admin.put({ ...body, value: { c: 2.0, a: { b: [1] } } });
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(await rowsIn(app)).toEqual([stored]);
    expect([(await auditRows()).length, (await announced()).length]).toEqual([audited, announcements]);
  });

  it.each([
    ['from null to a value', {}, { value: {} }],
    ['from a value to null', { value: {} }, {}],
    ['to another value', { value: { a: 1 } }, { value: { a: '1' } }],
    ['to another state', { enabled: false }, { enabled: true }],
  ])('a change %s is audited', async (_what, from, to) => {
    await admin.put({ flag_key: 'beta', enabled: true, ...from });
    const before = (await auditRows()).length;
    await admin.put({ flag_key: 'beta', enabled: true, ...to });
    expect(await auditRows()).toHaveLength(before + 1);
  });

  it('a change authenticated by cookie requires the CSRF header, and writes nothing without it', async () => {
    const { browser, user_id } = await registerUser(app);
    await setUser(app, user_id, { platform_role: 'admin' });
    const body = { flag_key: 'beta', enabled: true };
    const without = await browser.send('PUT', '/admin/feature-flags', { body, csrf: false });
    expect(without).toMatchObject({ status: 403, json: { error: { code: 'csrf_failed' } } });
    expect(await rowsIn(app)).toEqual([]);
    expect((await browser.send('PUT', '/admin/feature-flags', { body })).status).toBe(200);
  });

  it('a viewer can list but not change', async () => {
    const viewer = await createFlagAdmin(app, 'viewer');
    expect(await viewer.put({ flag_key: 'beta', enabled: true })).toMatchObject({
      status: 403,
      json: { error: { code: 'forbidden' } },
    });
    expect((await viewer.remove('beta')).status).toBe(403);
    expect((await viewer.list()).status).toBe(200);
    expect((await tenant.list()).status).toBe(403);
  });
});
