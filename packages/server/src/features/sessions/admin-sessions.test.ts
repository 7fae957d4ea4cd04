import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, registerUser, signInAgain } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser } from '../../../test/records.ts';

const app = useTestApp();
let admin: Administrator;
let viewer: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
  viewer = await insertAdministrator(app, 'viewer');
});

const list = (id: string, by = viewer) => by.get(`/admin/users/${id}/sessions`);
const end = (id: string, session_id: string, by = admin) => by.delete(`/admin/users/${id}/sessions/${session_id}`);

describe('GET /admin/users/:id/sessions', () => {
  it('200: the sessions that the user sees; none is current except the caller’s own', async () => {
    const user = await registerUser(app);
    app.clock.advance(5);
    await signInAgain(app, user);
    const own = (await user.browser.get('/auth/sessions')).json.items;
    const { status, json } = await list(user.user_id.toUpperCase());
    expect(status).toBe(200);
    expect(json.items).toEqual(own.map((item: object) => ({ ...item, current: false })));
    expect((await list(viewer.user_id)).json.items).toMatchObject([{ current: true }]);
  });

  it('an ended session is not listed, and a deleted user has none', async () => {
    const user = await registerUser(app);
    await user.browser.post('/auth/logout');
    expect((await list(user.user_id)).json.items).toEqual([]);
    await setUser(app, user.user_id, { status: 'deleted' });
    expect((await list(user.user_id)).status).toBe(200);
  });

  it('404 for an unknown user, 403 without a platform role', async () => {
    expect((await list(uuid())).status).toBe(404);
    expect((await list('nonsense')).status).toBe(404);
    const user = await registerUser(app);
    expect((await user.browser.get(`/admin/users/${user.user_id}/sessions`)).status).toBe(403);
    expect((await createBrowser(app).get(`/admin/users/${user.user_id}/sessions`)).status).toBe(401);
  });
});

describe('DELETE /admin/users/:id/sessions/:session_id', () => {
  it('204: only that session ends, at once; 204 also when repeated; audited once', async () => {
    const user = await registerUser(app);
    const other = await signInAgain(app, user);
    expect((await end(user.user_id, user.session_id.toUpperCase())).status).toBe(204);
    expect((await user.browser.get('/auth/session')).status).toBe(401);
    expect((await other.get('/auth/session')).status).toBe(200);
    expect((await end(user.user_id, user.session_id)).status).toBe(204);
    expect(await auditOf(app, { resource_id: user.session_id, action: 'auth.session.revoked' })).toMatchObject([
      {
        actor_id: admin.user_id,
        organization_id: user.organization_id,
        resource_type: 'session',
        metadata: { reason: 'administrator', count: 1 },
      },
    ]);
  });

  it('404 for an unknown id, a session of another user, and a deleted or unknown user; nothing ends', async () => {
    const [user, other] = [await registerUser(app), await registerUser(app)];
    for (const answer of [
      await end(user.user_id, uuid()),
      await end(user.user_id, 'nonsense'),
      await end(user.user_id, other.session_id),
      await end(uuid(), user.session_id),
    ]) {
      expect([answer.status, answer.json.error.code]).toEqual([404, 'not_found']);
    }
    for (const { browser } of [user, other]) expect((await browser.get('/auth/session')).status).toBe(200);
    await setUser(app, other.user_id, { status: 'deleted' });
    expect((await end(other.user_id, other.session_id)).status).toBe(404);
  });

  it('403 for a higher rank and for a viewer; an equal rank and oneself are allowed', async () => {
    const owner = await insertAdministrator(app, 'owner');
    expect((await end(owner.user_id, owner.session_id)).status).toBe(403);
    const user = await registerUser(app);
    expect((await end(user.user_id, user.session_id, viewer)).status).toBe(403);
    const peer = await insertAdministrator(app);
    expect((await end(peer.user_id, peer.session_id)).status).toBe(204);
    const self = await insertAdministrator(app);
    expect((await end(self.user_id, self.session_id, self)).status).toBe(204);
    expect((await self.get('/auth/session')).status).toBe(401);
  });

  it('403 for a caller whose role was revoked a moment ago', async () => {
    const former = await insertAdministrator(app);
    const user = await registerUser(app);
    expect((await list(user.user_id, former)).status).toBe(200);
    await app.deps.db.updateTable('users').set({ platform_role: null }).where('id', '=', former.user_id).execute();
    expect((await end(user.user_id, user.session_id, former)).status).toBe(403);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
  });
});
