import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { newEmail, PASSWORD } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countingRows, setUser } from '../../../test/records.ts';

const app = useTestApp();
let organization_id: string;
beforeAll(async () => {
  ({ organization_id } = await insertAdministrator(app));
});

const flag = { flag_key: 'a-flag', enabled: true };
const organization = () => ({ organization_name: 'Late', owner_email: newEmail(), owner_password: PASSWORD });

const WRITES: readonly [string, (admin: Administrator) => Promise<{ status: number }>][] = [
  ['PATCH /admin/orgs/:id', (admin) => admin.patch(`/admin/orgs/${organization_id}`, { suspended: true })],
  ['POST /admin/orgs', (admin) => admin.post('/admin/orgs', organization())],
  ['PUT /admin/feature-flags', (admin) => admin.put('/admin/feature-flags', flag)],
  ['DELETE /admin/feature-flags/:flag_key', (admin) => admin.delete('/admin/feature-flags/there')],
  ['PUT /admin/integrations/:provider', (admin) => admin.put('/admin/integrations/oauth_a', { enabled: false })],
  ['PATCH /admin/users/:id', (admin) => admin.patch(`/admin/users/${uuid()}`, { status: 'disabled' })],
];

/** Each test changes the caller's row directly in the database, as another replica would: the cached state is stale. */
describe.each(WRITES)('%s after a change of the caller', (_name, write) => {
  it.each([
    ['lost the role', { platform_role: null }, 403],
    ['become a viewer', { platform_role: 'viewer' }, 403],
    ['been disabled', { status: 'disabled' }, 401],
  ] as const)('401 or 403, and nothing is written, for a caller who has just %s', async (_what, change, status) => {
    const admin = await insertAdministrator(app, 'admin', app.clock.now());
    await app.deps.db
      .insertInto('feature_flags')
      .values({ flag_key: 'there', organization_id: null, enabled: true, value: null, updated_at: app.clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    expect((await admin.get('/admin/orgs')).status).toBe(200);
    await setUser(app, admin.user_id, change);
    const tables = ['organizations', 'users', 'feature_flags', 'provider_configs', 'audit_events', 'mails'] as const;
    const { result, rows } = await countingRows(app, tables, () => write(admin));
    expect(result.status).toBe(status);
    expect(new Set(Object.values(rows))).toEqual(new Set([0]));
  });
});
