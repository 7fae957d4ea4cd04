import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer, createBrowser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { createFlagAdmin, type FlagAdmin, forgetFlags, rowsIn } from './flags-fixture.ts';

const app = useTestApp();
let admin: FlagAdmin;
let tenant: FlagAdmin;
let organization_id: string;
beforeAll(async () => {
  admin = await createFlagAdmin(app);
  tenant = await createFlagAdmin(app, null);
  organization_id = tenant.organization_id;
});
beforeEach(async () => {
  await forgetFlags(app);
  await admin.put({ flag_key: 'beta', enabled: true });
  await admin.put({ flag_key: 'beta', enabled: false, organization_id });
});

const left = async () => (await rowsIn(app)).map((row) => row.organization_id);

describe('DELETE /admin/feature-flags/:flag_key', () => {
  it('removes the default and keeps the overrides of organizations', async () => {
    expect(await admin.remove('beta')).toMatchObject({ status: 204, text: '' });
    expect(await left()).toEqual([organization_id]);
    expect((await admin.flags()).json).toEqual({});
    expect((await tenant.flags()).json).toEqual({ beta: { enabled: false, value: null } });
  });

  it('removes the override of one organization, where the default applies again', async () => {
    await tenant.flags();
    expect((await admin.remove('beta', organization_id.toUpperCase())).status).toBe(204);
    expect(await left()).toEqual([null]);
    expect((await tenant.flags()).json).toEqual({ beta: { enabled: true, value: null } });
  });

  it('returns 204 again for a removed flag', async () => {
    await admin.remove('beta');
    expect(await admin.remove('beta')).toMatchObject({ status: 204, text: '' });
    expect(await left()).toEqual([organization_id]);
  });

  it('returns 204 and writes nothing for an unknown flag', async () => {
    const before = (await auditOf(app, { action: 'feature_flag.deleted' })).length;
    expect((await admin.remove('alpha')).status).toBe(204);
    expect((await admin.remove('BETA')).status).toBe(204);
    expect((await admin.remove('beta', admin.organization_id)).status).toBe(204);
    expect((await admin.remove('beta', uuid())).status).toBe(204);
    expect(await left()).toHaveLength(2);
    expect(await auditOf(app, { action: 'feature_flag.deleted' })).toHaveLength(before);
  });

  it.each(['größe', 'a b', '\u0000', 'x'.repeat(121), 'x'.repeat(300)])(
    '404 for an invalid key: %j',
    async (flag_key) => {
      expect((await admin.remove(flag_key)).status).toBe(404);
    },
  );

  it.each(['', 'mine'])('400 for organization_id %j', async (id) => {
    const answer = await admin.remove('beta', id);
    expect(answer).toMatchObject({ status: 400, json: { error: { message: 'organization_id: must be a UUID' } } });
  });

  it.each(['a/b', '%', '%2F', '%25', '?x=1', '#', '...', '+', ':flag_key', `${'/'.repeat(120)}`])(
    'accepts the percent-encoded key %s',
    async (flag_key) => {
      await admin.put({ flag_key, enabled: true });
      expect((await admin.remove(flag_key)).status).toBe(204);
      expect(await left()).toHaveLength(2);
    },
  );

  it('removes the flag that the path names, and ignores flag_key in the query', async () => {
    await admin.put({ flag_key: 'alpha', enabled: true });
    const path = '/admin/feature-flags/alpha?flag_key=beta';
    expect((await createBrowser(app).delete(path, bearer(admin.access_token))).status).toBe(204);
    expect((await rowsIn(app)).map(({ flag_key }) => flag_key)).toEqual(['beta', 'beta']);
  });

  it('a removal is audited with key and scope, in the organization of the override', async () => {
    await admin.remove('beta');
    await admin.remove('beta', organization_id);
    await admin.remove('beta', organization_id);
    const rows = (await auditOf(app, { action: 'feature_flag.deleted' })).slice(-2);
    const row = { actor_id: admin.user_id, resource_type: 'feature_flag', resource_id: 'beta', outcome: 'success' };
    expect(rows).toMatchObject([
      { ...row, organization_id: NIL_UUID, metadata: { flag_key: 'beta', scope: 'global' } },
      { ...row, organization_id, metadata: { flag_key: 'beta', scope: 'organization' } },
    ]);
  });
});
