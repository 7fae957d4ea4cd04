import { beforeAll, describe, expect, it } from 'vitest';
import {
  atOnce,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, findUser, kindsOf, setUser } from '../../../test/records.ts';

const app = useTestApp();

const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0003';
const change = (account: TestUser, email: unknown, given: unknown = PASSWORD) =>
  account.browser.post('/users/me/email', { email, password: given }, { headers: { 'x-request-id': REQUEST_ID } });
const post = (path: string, body: unknown) => createBrowser(app).post(path, body);
const verify = (token: string) => post('/auth/email/verify', { token });
const changesOf = (user_id: string) => auditOf(app, { actor_id: user_id, action: 'auth.email.changed' });
const settled = async (): Promise<TestUser> => {
  const account = await registerUser(app);
  await app.mailbox.take(account.email);
  return account;
};
const subjects = async (email: string) => (await app.mailbox.take(email)).map(({ subject }) => subject);

describe('POST /users/me/email', () => {
  it('204: sends a link to the new email and a notice to the old one; nothing changes yet', async () => {
    const account = await settled();
    const email = newEmail('new');
    expect(await change(account, ` ${email.toUpperCase()} `)).toMatchObject({ status: 204, text: '' });
    expect((await findUser(app, account.user_id)).email).toBe(account.email);
    const [notice] = await app.mailbox.take(account.email);
    expect(notice!.subject).toBe('Your email address is about to change');
    expect(notice!.text).toContain(email);
    expect(notice!.text).not.toContain('token=');
    expect(await subjects(email)).toEqual(['Please confirm your new email address']);
    expect(await changesOf(account.user_id)).toEqual([]);
    expect((await post('/auth/login', { email: account.email, password: PASSWORD })).status).toBe(200);
  });

  it('the link changes the email: verified, audited, shown in the session; the old email cannot sign in', async () => {
    const account = await settled();
    const email = newEmail('new');
    await change(account, email);
    expect((await verify(await app.mailbox.takeToken(email, 'verify-email'))).status).toBe(204);
    expect(await findUser(app, account.user_id)).toMatchObject({ email, email_verified_at: app.clock.now() });
    expect((await account.browser.get('/auth/session')).json.user).toMatchObject({ email, email_verified: true });
    expect(await changesOf(account.user_id)).toMatchObject([
      { outcome: 'success', organization_id: account.organization_id, resource_id: account.user_id, metadata: {} },
    ]);
    expect((await post('/auth/login', { email: account.email, password: PASSWORD })).status).toBe(401);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });

  it('a change to an email in use has the same response, rows and mail to the caller; the owner of that email gets a notice, and nothing changes', async () => {
    const [account, owner] = [await settled(), await settled()];
    await setUser(app, owner.user_id, { locale: 'de' });
    const free = newEmail('free');
    const seen = [];
    for (const email of [free, owner.email]) {
      const { result, rows } = await countingRows(app, ['mails', 'audit_events'], async () => {
        const answer = await change(account, email);
        await app.mailbox.settle();
        return answer;
      });
      const { status, text, headers } = result;
      const notices = (await app.mailbox.take(account.email)).map(({ subject, text: body }) => ({
        subject,
        body: body.replaceAll(email, 'NEW'),
      }));
      seen.push({ status, text, headers: { ...headers, date: '' }, notices, rows });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ status: 204, rows: { mails: 2, audit_events: 0 } });
    const mails = await app.mailbox.take(owner.email);
    expect(mails).toHaveLength(1);
    expect(mails[0]!.html).toContain('<html lang="de">');
    expect(mails[0]!.text).not.toMatch(/token=/);
    expect(mails[0]!.text).not.toContain(account.email);
    expect(await kindsOf(app, account.user_id)).toEqual(['email_change', 'email_verification']);
    expect((await findUser(app, owner.user_id)).email).toBe(owner.email);
    // The last request has replaced the link to the free address, as a request for any other address does.
    expect((await verify(await app.mailbox.takeToken(free, 'verify-email'))).status).toBe(401);
  });

  it('409 if the new email was taken between request and link; nothing changes, and the link stays valid', async () => {
    const account = await settled();
    const email = newEmail('contested');
    await change(account, email);
    const token = await app.mailbox.takeToken(email, 'verify-email');
    const other = await registerUser(app, { email });
    const answer = await verify(token);
    expect(answer.status).toBe(409);
    expect(answer.json.error).toMatchObject({ code: 'conflict', message: 'email already registered' });
    expect((await findUser(app, account.user_id)).email).toBe(account.email);
    await setUser(app, other.user_id, { status: 'deleted' });
    expect((await verify(token)).status).toBe(204);
  });

  it('of two accounts that confirm the same new email one gets it', async () => {
    const users = [await settled(), await settled()];
    const email = newEmail('contested');
    const tokens = [];
    for (const account of users) {
      await change(account, email);
      tokens.push(await app.mailbox.takeToken(email, 'verify-email'));
    }
    expect(tally(await Promise.all(tokens.map(verify)))).toEqual({ 204: 1, 409: 1 });
  });

  it('of ten concurrent confirmations of one change one is 204, and one audit row is written', async () => {
    const account = await settled();
    const email = newEmail('new');
    await change(account, email);
    const token = await app.mailbox.takeToken(email, 'verify-email');
    expect(tally(await atOnce(10, () => verify(token)))).toEqual({ 204: 1, 401: 9 });
    expect(await changesOf(account.user_id)).toHaveLength(1);
  });

  it('a change of email invalidates what was mailed to the old mailbox: reset link, code, verification link', async () => {
    const account = await registerUser(app);
    const verification = await app.mailbox.takeToken(account.email, 'verify-email');
    await post('/auth/password/forgot', { email: account.email });
    const reset = await app.mailbox.takeToken(account.email, 'reset-password');
    await post('/auth/email-otp/request', { email: account.email });
    const code = await app.mailbox.takeCode(account.email);
    const email = newEmail('new');
    await change(account, email);
    await verify(await app.mailbox.takeToken(email, 'verify-email'));
    expect(await kindsOf(app, account.user_id)).toEqual([]);
    expect((await verify(verification)).status).toBe(401);
    expect((await post('/auth/password/reset', { token: reset, new_password: 'another correct horse' })).status).toBe(
      401,
    );
    for (const address of [email, account.email]) {
      expect((await post('/auth/email-otp/verify', { email: address, code })).status).toBe(401);
    }
  });

  it('a reset link sent to the old mailbox is invalid after a concurrent email change', async () => {
    const account = await settled();
    await post('/auth/password/forgot', { email: account.email });
    const token = await app.mailbox.takeToken(account.email, 'reset-password');
    await setUser(app, account.user_id, { email: newEmail('quick') });
    expect((await post('/auth/password/reset', { token, new_password: 'another correct horse' })).status).toBe(401);
  });

  it('a later request invalidates the earlier link; a link is valid for 24 hours', async () => {
    const account = await settled();
    const [first, second] = [newEmail('first'), newEmail('second')];
    await change(account, first);
    const early = await app.mailbox.takeToken(first, 'verify-email');
    await change(account, second);
    const late = await app.mailbox.takeToken(second, 'verify-email');
    expect((await verify(early)).status).toBe(401);
    app.clock.advance(24 * 3600);
    expect((await verify(late)).status).toBe(401);
    expect((await findUser(app, account.user_id)).email).toBe(account.email);
  });

  it('401 for the link of an account that was disabled since', async () => {
    const account = await settled();
    const email = newEmail('new');
    await change(account, email);
    const token = await app.mailbox.takeToken(email, 'verify-email');
    await setUser(app, account.user_id, { status: 'disabled' });
    expect((await verify(token)).status).toBe(401);
    expect((await findUser(app, account.user_id)).email).toBe(account.email);
  });

  it('204 without effect for the current email', async () => {
    const account = await settled();
    expect((await change(account, account.email.toUpperCase())).status).toBe(204);
    expect(await app.mailbox.take(account.email)).toEqual([]);
    expect(await kindsOf(app, account.user_id)).toEqual(['email_verification']);
  });

  it('401 for a wrong password, audited as a failed email change; five in a row lock the check', async () => {
    const account = await settled();
    const email = newEmail('new');
    for (let index = 0; index < 5; index++) {
      const answer = await change(account, email, 'wrong');
      expect(answer.status).toBe(401);
      expect(answer.json.error.code).toBe('authentication_required');
    }
    expect(await changesOf(account.user_id)).toMatchObject(Array(5).fill({ outcome: 'failure', metadata: {} }));
    expect((await change(account, email)).status).toBe(429);
    expect(await app.mailbox.take(email)).toEqual([]);
    expect(await app.mailbox.take(account.email)).toEqual([]);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
  });

  it('an account without a password needs a fresh sign-in; an old one gets 401 mfa_required', async () => {
    const account = await settled();
    await setUser(app, account.user_id, { password_hash: null });
    const email = newEmail('new');
    expect((await account.browser.post('/users/me/email', { email })).status).toBe(204);
    expect(await subjects(email)).toHaveLength(1);
    app.clock.advance(301);
    const late = await account.browser.post('/users/me/email', { email: newEmail('late') });
    expect(late.status).toBe(401);
    expect(late.json.error.code).toBe('mfa_required');
  });

  it('mails are limited per new email and per account; over the limit still 204', async () => {
    const [account, other] = [await settled(), await settled()];
    const email = newEmail('flooded');
    for (let index = 0; index < 6; index++) {
      expect((await change(account, email)).status).toBe(204);
      expect((await change(other, email)).status).toBe(204);
    }
    expect(await app.mailbox.take(email)).toHaveLength(10);
    const one = await settled();
    let received = 0;
    for (let index = 0; index < 12; index++) {
      const target = newEmail('stranger');
      expect((await change(one, target)).status).toBe(204);
      received += (await app.mailbox.take(target)).length;
    }
    expect(received).toBe(10);
    expect(await app.mailbox.take(one.email)).toHaveLength(10);
  });

  it('mails to the current email that others requested do not prevent the owner from changing it', async () => {
    const account = await settled();
    for (let index = 0; index < 12; index++) await post('/auth/password/forgot', { email: account.email });
    const email = newEmail('new');
    await change(account, email);
    expect((await verify(await app.mailbox.takeToken(email, 'verify-email'))).status).toBe(204);
  });

  describe('POST /users/me/email returns 400', () => {
    let account: TestUser;
    beforeAll(async () => {
      account = await registerUser(app);
    });

    it.each([
      [{}, 'email: is required'],
      [{ email: 'x', password: PASSWORD }, 'email: must be an email address'],
      [{ email: 1, password: PASSWORD }, 'email: must be a string'],
      [{ email: 'a@example.com', password: '' }, 'password: must not be empty'],
      ['{"email":"a\\u0000@example.com","password":"x"}', 'email: must be an email address'],
      ['{"email":"a\\ud800@example.com","password":"x"}', 'email: must be an email address'],
      ['{"__proto__":{"email":"a@example.com"}}', 'email: is required'],
      [{ email: 'a@example.com' }, 'password: is required'],
    ])('400 for the body %j: "%s"', async (body, message) => {
      const answer = await account.browser.post('/users/me/email', body);
      expect(answer.status).toBe(400);
      expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
    });
  });

  it('401 without a session, 403 without CSRF', async () => {
    const account = await registerUser(app);
    const body = { email: newEmail(), password: PASSWORD };
    expect((await createBrowser(app).post('/users/me/email', body)).status).toBe(401);
    expect((await account.browser.post('/users/me/email', body, { csrf: false })).status).toBe(403);
  });

  it('the link uses PUBLIC_BASE_URL, and neither token nor password is logged', async () => {
    const account = await settled();
    const email = newEmail('new');
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    await account.browser.post('/users/me/email', { email, password: PASSWORD }, { headers });
    const [mail] = await app.mailbox.take(email);
    const [, token] = /^http:\/\/localhost:8080\/verify-email\?token=([\w-]{43})$/m.exec(mail!.text)!;
    expect(JSON.stringify(mail)).not.toContain('evil');
    await verify(token!);
    const written = JSON.stringify([app.logs, await auditOf(app)]);
    for (const secret of [token!, PASSWORD, email]) expect(written).not.toContain(secret);
  });
});
