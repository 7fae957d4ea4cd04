import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { bearer, createBrowser, refreshWith, registerUser, signInAgain, type TestUser } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, join, liveSessions, revocationsOf, setUser } from '../../../test/records.ts';
import { INVALIDATED_WITHIN_MS } from '../../../test/timeouts.ts';

const app = useTestApp();
let admin: Administrator;
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
  admin = await insertAdministrator(app);
});

const change = (id: string, body: unknown) => admin.patch(`/admin/orgs/${id}`, body);
const suspend = (id: string) => change(id, { suspended: true });
const restore = (id: string) => change(id, { suspended: false });
const trail = async (id: string) =>
  (await auditOf(app, { resource_id: id, action: ['org.updated', 'org.suspended', 'org.restored'] })).map(
    ({ action, metadata, organization_id, actor_id }) => ({ action, metadata, organization_id, actor_id }),
  );
const login = (account: TestUser, given: Record<string, unknown> = {}) =>
  createBrowser(app).post('/auth/login', { email: account.email, password: account.password, ...given });
const session = (token: string) => createBrowser(app).get('/auth/session', bearer(token));

describe('§4.12 PATCH /admin/orgs/:id', () => {
  it('200 with the row: the name is changed, trimmed; audited once', async () => {
    const { organization_id: id } = await registerUser(app);
    const answer = await change(id, { name: ' Renamed ' });
    expect(answer.status).toBe(200);
    const { created_at, slug } = answer.json;
    expect(answer.json).toEqual({ id, name: 'Renamed', slug, created_at, suspended: false, member_count: 1 });
    expect((await admin.get('/admin/orgs')).json.items).toContainEqual(answer.json);
    expect((await change(id, { name: 'Renamed' })).json).toEqual(answer.json);
    expect(await trail(id)).toEqual([
      { action: 'org.updated', metadata: { fields: ['name'] }, organization_id: id, actor_id: admin.user_id },
    ]);
  });

  it('name and suspension can be changed together; if one of them is rejected, neither is changed', async () => {
    const { organization_id: id } = await registerUser(app);
    expect((await change(id, { name: 'Both', suspended: true })).json).toMatchObject({ name: 'Both', suspended: true });
    expect((await trail(id)).map(({ action }) => action)).toEqual(['org.updated', 'org.suspended']);
    const refused = await change(admin.organization_id, { name: 'Neither', suspended: true });
    expect(refused.status).toBe(409);
    const { items } = (await admin.get('/admin/orgs?q=Neither')).json;
    expect(items).toEqual([]);
    expect((await change(id, {})).json).toMatchObject({ name: 'Both', suspended: true });
  });

  it('404 for an unknown organization, also for a malformed id', async () => {
    for (const id of [uuid(), 'x', `${uuid()}0`]) expect((await suspend(id)).status, id).toBe(404);
    const { organization_id } = await registerUser(app);
    expect((await change(organization_id.toUpperCase(), { name: 'Loud' })).json.id).toBe(organization_id);
  });

  it.each([
    [{ name: '' }, 'name: must be 1 to 120 characters'],
    [{ name: ' ' }, 'name: must not be blank'],
    [{ suspended: 'true' }, 'suspended: must be a boolean'],
    [undefined, 'body'],
    [[], 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await change(admin.organization_id, body);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.json.error.message).toContain(message);
  });

  it('401 without a session, 403 for a viewer and without CSRF', async () => {
    const account = await registerUser(app);
    const path = `/admin/orgs/${account.organization_id}`;
    expect((await createBrowser(app).patch(path, { name: 'x' })).status).toBe(401);
    const viewer = await insertAdministrator(app, 'viewer');
    expect((await viewer.patch(path, { name: 'x' })).status).toBe(403);
    expect((await account.browser.patch(path, { name: 'x' }, { csrf: false })).json.error.code).toBe('csrf_failed');
    expect((await account.browser.patch(path, { name: 'x' })).json.error.code).toBe('forbidden');
  });
});

describe('§3 suspending and restoring an organization', () => {
  it('after a suspension the access and refresh tokens of the organization are rejected at once, and its sessions are in the feed; other organizations are unaffected', async () => {
    const [account, other] = [await registerUser(app), await registerUser(app)];
    const second = await signInAgain(app, account);
    expect((await session(account.access_token)).status).toBe(200);
    expect((await suspend(account.organization_id)).json).toMatchObject({ suspended: true });
    expect((await session(account.access_token)).status).toBe(401);
    expect((await second.get('/auth/session')).status).toBe(401);
    expect((await refreshWith(app, account.browser.jar.get('service_rt')!)).status).toBe(401);
    expect(await revocationsOf(app, account.session_id)).toHaveLength(1);
    expect(await liveSessions(app, account.user_id)).toEqual([]);
    expect((await session(other.access_token)).status).toBe(200);
    expect(await trail(account.organization_id)).toEqual([
      {
        action: 'org.suspended',
        metadata: { sessions_revoked: 2 },
        organization_id: account.organization_id,
        actor_id: admin.user_id,
      },
    ]);
  });

  it('a suspension is announced to other replicas', async () => {
    const there = await startTestApp({ database: app.database, clock: app.clock });
    const account = await registerUser(app);
    const seen = () => createBrowser(there).get('/auth/session', bearer(account.access_token));
    expect((await seen()).status).toBe(200);
    await suspend(account.organization_id);
    await expect.poll(async () => (await seen()).status, { timeout: INVALIDATED_WITHIN_MS }).toBe(401);
    await there.close();
  });

  it('sign-in to a suspended organization is 403, only after the right password', async () => {
    const account = await registerUser(app);
    await suspend(account.organization_id);
    const wrong = await createBrowser(app).post('/auth/login', { email: account.email, password: 'not this one, no' });
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'authentication_required']);
    const right = await login(account);
    expect([right.status, right.json.error.code]).toEqual([403, 'forbidden']);
    expect(right.set_cookies).toEqual([]);
    await createBrowser(app).post('/auth/email-otp/request', { email: account.email });
    const code = await app.mailbox.takeCode(account.email);
    const byCode = await createBrowser(app).post('/auth/email-otp/verify', { email: account.email, code });
    expect([byCode.status, byCode.json.error.code]).toEqual([403, 'forbidden']);
  });

  it('users of a suspended organization sign in to another one of theirs, and cannot switch to the suspended one', async () => {
    const account = await registerUser(app);
    const other = await join(app, account.user_id);
    await suspend(account.organization_id);
    const answer = await login(account);
    expect(answer.json.user.organization_id).toBe(other);
    expect((await login(account, { organization_id: account.organization_id })).status).toBe(403);
    const switched = await createBrowser(app).post(
      '/auth/organization',
      { organization_id: account.organization_id },
      bearer(answer.json.access_token),
    );
    expect(switched.status).toBe(403);
  });

  it('restoring allows sign-in again; ended sessions stay ended; each change is audited once', async () => {
    const account = await registerUser(app);
    await suspend(account.organization_id);
    const again = await suspend(account.organization_id);
    expect([again.status, again.json.suspended]).toEqual([200, true]);
    expect((await restore(account.organization_id)).json).toMatchObject({ suspended: false });
    expect((await restore(account.organization_id)).status).toBe(200);
    expect((await session(account.access_token)).status).toBe(401);
    const answer = await login(account);
    expect(answer.json.user.organization_id).toBe(account.organization_id);
    expect((await trail(account.organization_id)).map(({ action }) => action)).toEqual([
      'org.suspended',
      'org.restored',
    ]);
  });

  it('409 for suspending the organization of the caller’s session; another organization of the caller can be suspended', async () => {
    const refused = await suspend(admin.organization_id);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    expect((await admin.get('/auth/session')).status).toBe(200);
    const other = await join(app, admin.user_id);
    expect((await suspend(other)).status).toBe(200);
  });

  it('409 for suspending the only active organization of the last platform owner', async () => {
    const owner = await registerUser(app);
    await setUser(app, owner.user_id, { platform_role: 'owner' });
    const refused = await suspend(owner.organization_id);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    expect((await session(owner.access_token)).status).toBe(200);
    expect(await trail(owner.organization_id)).toEqual([]);
    // Memberships in a suspended organization, and ended ones, do not count.
    await join(app, owner.user_id, { suspended_at: app.clock.now() });
    await join(app, owner.user_id, { revoked_at: app.clock.now() });
    expect((await suspend(owner.organization_id)).status).toBe(409);
    const second = await join(app, owner.user_id);
    expect((await suspend(owner.organization_id)).status).toBe(200);
    expect((await suspend(second)).status).toBe(409);
  });

  it('the only active organization of a platform owner can be suspended if another platform owner, who is not disabled, can sign in', async () => {
    const [owner, other] = [await registerUser(app), await registerUser(app)];
    for (const { user_id } of [owner, other]) await setUser(app, user_id, { platform_role: 'owner' });
    await setUser(app, other.user_id, { status: 'disabled' });
    expect((await suspend(owner.organization_id)).status).toBe(409);
    await setUser(app, other.user_id, { status: 'active' });
    expect((await suspend(owner.organization_id)).status).toBe(200);
    expect((await suspend(other.organization_id)).status).toBe(409);
    expect((await suspend((await registerUser(app)).organization_id)).status).toBe(200);
  });
});
