import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, refreshWith, registerUser, signInAgain } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, liveSessions, setUser } from '../../../test/records.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const signOut = (id: string, by = admin) => by.delete(`/admin/users/${id}/sessions`);

describe('DELETE /admin/users/:id/sessions', () => {
  it('204: every session ends at once; the user can sign in again; audited once, with the count', async () => {
    const user = await registerUser(app);
    const second = await signInAgain(app, user);
    const answer = await signOut(user.user_id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const browser of [user.browser, second]) {
      expect((await browser.get('/auth/session')).status).toBe(401);
      expect((await refreshWith(app, browser.jar.get('service_rt')!)).status).toBe(401);
    }
    expect((await signOut(user.user_id)).status).toBe(204);
    expect(await auditOf(app, { resource_id: user.user_id, action: 'auth.session.revoked' })).toMatchObject([
      {
        actor_id: admin.user_id,
        organization_id: user.organization_id,
        resource_type: 'user',
        metadata: { reason: 'administrator', count: 2 },
      },
    ]);
    await signInAgain(app, user);
    expect(await liveSessions(app, user.user_id)).toHaveLength(1);
  });

  it('403 for a higher rank; an equal rank, a disabled user and oneself are allowed', async () => {
    const [owner, peer, disabled] = [
      await insertAdministrator(app, 'owner'),
      await insertAdministrator(app),
      await registerUser(app),
    ];
    expect((await signOut(owner.user_id)).status).toBe(403);
    expect((await owner.get('/auth/session')).status).toBe(200);
    expect((await signOut(peer.user_id)).status).toBe(204);
    await setUser(app, disabled.user_id, { status: 'disabled' });
    expect((await signOut(disabled.user_id)).status).toBe(204);
    expect((await signOut(owner.user_id, owner)).status).toBe(204);
    expect((await owner.get('/auth/session')).status).toBe(401);
  });

  it('404 for an unknown and a deleted user; 401 without a session, 403 for a viewer and without CSRF', async () => {
    const user = await registerUser(app);
    const path = `/admin/users/${user.user_id}/sessions`;
    expect((await createBrowser(app).delete(path)).status).toBe(401);
    expect((await signOut(user.user_id, await insertAdministrator(app, 'viewer'))).status).toBe(403);
    expect((await user.browser.delete(path, { csrf: false })).json.error.code).toBe('csrf_failed');
    await setUser(app, user.user_id, { status: 'deleted' });
    for (const id of [uuid(), 'x', user.user_id]) expect((await signOut(id)).status, id).toBe(404);
  });
});
