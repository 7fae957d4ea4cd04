import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, PASSWORD, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser } from '../../../test/records.ts';

const app = useTestApp({ environment: { LIMIT_MAIL_PER_ACCOUNT: '2/10m' } });
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const send = (id: string, by = admin) => by.post(`/admin/users/${id}/send-reset`);
const audited = (resource_id: string) => auditOf(app, { resource_id, action: 'auth.password_reset.requested' });
const reset = (token: string, new_password = `${PASSWORD} again`) =>
  createBrowser(app).post('/auth/password/reset', { token, new_password });

describe('POST /admin/users/:id/send-reset', () => {
  it('204: mails a link in the language of the user, which replaces the earlier one; audited', async () => {
    const user = await registerUser(app, { locale: 'de-CH' });
    await app.mailbox.take(user.email);
    const answer = await send(user.user_id.toUpperCase());
    expect([answer.status, answer.text]).toEqual([204, '']);
    const [mail] = await app.mailbox.take(user.email);
    expect(mail!.subject).toBe('Neues Passwort wählen');
    const first = /token=([\w-]+)/.exec(mail!.text)![1]!;
    await send(user.user_id);
    const second = await app.mailbox.takeToken(user.email, 'reset-password');
    expect((await reset(first)).status).toBe(401);
    expect((await reset(second)).status).toBe(204);
    expect(await audited(user.user_id)).toMatchObject(
      Array(2).fill({
        actor_id: admin.user_id,
        actor_type: 'user',
        organization_id: user.organization_id,
        outcome: 'success',
        metadata: {},
      }),
    );
    expect(JSON.stringify(app.logs)).not.toContain(second);
  });

  it('404 for an unknown or deleted user, 409 for a disabled one; nothing is sent or audited', async () => {
    expect((await send(uuid())).status).toBe(404);
    const [deleted, disabled] = [await registerUser(app), await registerUser(app)];
    await setUser(app, deleted.user_id, { status: 'deleted' });
    await setUser(app, disabled.user_id, { status: 'disabled' });
    for (const { email } of [deleted, disabled]) await app.mailbox.take(email);
    expect((await send(deleted.user_id)).status).toBe(404);
    const refused = await send(disabled.user_id);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    for (const { email, user_id } of [deleted, disabled]) {
      expect(await app.mailbox.take(email)).toEqual([]);
      expect(await audited(user_id)).toEqual([]);
    }
  });

  it('403 for a higher rank and for a viewer; an equal rank is allowed', async () => {
    const [owner, peer, viewer, user] = [
      await insertAdministrator(app, 'owner'),
      await insertAdministrator(app),
      await insertAdministrator(app, 'viewer'),
      await registerUser(app),
    ];
    expect((await send(owner.user_id)).status).toBe(403);
    expect((await send(user.user_id, viewer)).status).toBe(403);
    expect((await send(peer.user_id)).status).toBe(204);
  });

  it('over the mail limit of the email: 204, no mail is sent, and the last link stays valid', async () => {
    const user = await registerUser(app);
    await app.mailbox.take(user.email);
    await send(user.user_id);
    await app.mailbox.take(user.email);
    await send(user.user_id);
    const last = await app.mailbox.takeToken(user.email, 'reset-password');
    expect((await send(user.user_id)).status).toBe(204);
    expect(await app.mailbox.take(user.email)).toEqual([]);
    expect((await reset(last)).status).toBe(204);
  });
});
