import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { after } from '../../platform/clock.ts';
import { updateExpiredMails } from '../mail/queries.ts';
import { openContent } from '../mail/sealed-content.ts';

// No transport is configured, so all mails stay queued, also the discarded ones.
const app = useTestApp({ environment: { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com' } });
beforeAll(() => {
  // Requests for a mail are accepted nevertheless.
  (app.deps.mail as { transport: () => unknown }).transport = () => ({});
});

const NEW = 'quite another password';
const post = (path: string, body: object) => createBrowser(app).post(path, body);
const requestCode = (email: string) => post('/auth/email-otp/request', { email });
const requestReset = (email: string) => post('/auth/password/forgot', { email });

/** The mails to this address that the worker still sends; it drops expired ones. */
async function waitingTo(email: string) {
  const { db, keyring } = app.deps;
  const rows = await db
    .selectFrom('mails')
    .select(['id', 'template', 'sealed'])
    .where('state', '=', 'queued')
    .where('expires_at', '>', app.clock.now())
    .orderBy('id')
    .execute();
  return rows
    .map(({ id, template, sealed }) => ({ template, ...openContent(keyring, id, sealed)! }))
    .filter(({ to }) => to === email);
}

const templatesTo = async (email: string) => (await waitingTo(email)).map(({ template }) => template).sort();

async function paramOf(email: string, template: string, name: 'code' | 'link'): Promise<string> {
  const mail = (await waitingTo(email)).find((one) => one.template === template);
  return String(mail!.params[name]);
}

const tokenOf = async (email: string, template: string) =>
  new URL(await paramOf(email, template, 'link')).searchParams.get('token');

/** A user with a queued mail for each kind of token but a change of email. */
async function withMails() {
  const user = await registerUser(app);
  await requestCode(user.email);
  await requestReset(user.email);
  expect(await templatesTo(user.email)).toEqual(['login_code', 'password_reset', 'verify_email']);
  return user;
}

describe('a queued mail whose token is no longer valid is dropped', () => {
  it.each([
    ['a code', requestCode],
    ['a reset link', requestReset],
  ])('%s that is replaced, for an email with or without an account', async (_, request) => {
    const user = await registerUser(app, { email: newEmail('known') });
    for (const email of [user.email, newEmail('unknown')]) {
      await request(email);
      const [first] = (await waitingTo(email)).filter(({ template }) => template !== 'verify_email');
      app.clock.advance(1);
      await request(email);
      const left = (await waitingTo(email)).filter(({ template }) => template === first!.template);
      expect(left).toHaveLength(1);
      expect(left[0]!.params).not.toEqual(first!.params);
    }
  });

  it('a code that is replaced by several concurrent requests', async () => {
    const user = await registerUser(app);
    await Promise.all(Array.from({ length: 8 }, () => requestCode(user.email)));
    const codes = (await waitingTo(user.email)).flatMap(({ params: { code } }) => (code ? [String(code)] : []));
    expect(codes).toHaveLength(1);
    expect((await post('/auth/email-otp/verify', { email: user.email, code: codes[0] })).status).toBe(200);
  });

  it('a verification link that is replaced', async () => {
    const user = await registerUser(app);
    const first = await tokenOf(user.email, 'verify_email');
    app.clock.advance(1);
    expect((await user.browser.post('/auth/email/send-verification')).status).toBe(204);
    expect(await templatesTo(user.email)).toEqual(['verify_email']);
    expect(await tokenOf(user.email, 'verify_email')).not.toBe(first);
  });

  it('a code that is used', async () => {
    const { email } = await withMails();
    const code = await paramOf(email, 'login_code', 'code');
    expect((await post('/auth/email-otp/verify', { email, code })).status).toBe(200);
    expect(await templatesTo(email)).not.toContain('login_code');
    expect(await templatesTo(email)).toContain('password_reset');
  });

  it('a reset link that is used, and the code', async () => {
    const { email } = await withMails();
    const token = await tokenOf(email, 'password_reset');
    expect((await post('/auth/password/reset', { token, new_password: NEW })).status).toBe(204);
    expect(await templatesTo(email)).toEqual(['password_changed', 'verify_email']);
  });

  it('a verification link that is used', async () => {
    const { email } = await withMails();
    const token = await tokenOf(email, 'verify_email');
    expect((await post('/auth/email/verify', { token })).status).toBe(204);
    expect(await templatesTo(email)).toEqual(['login_code', 'password_reset']);
  });

  it('codes and links that a password change makes invalid', async () => {
    const { email, browser } = await withMails();
    const new_email = newEmail('new');
    expect((await browser.post('/users/me/email', { email: new_email, password: PASSWORD })).status).toBe(204);
    expect(await templatesTo(new_email)).toEqual(['email_change_confirm']);
    const body = { current_password: PASSWORD, new_password: NEW };
    expect((await browser.post('/users/me/password', body)).status).toBe(204);
    expect(await templatesTo(new_email)).toEqual([]);
    expect(await templatesTo(email)).toEqual(['email_change_notice', 'password_changed', 'verify_email']);
  });

  it('codes and links of an account that is deleted; its reset link still reports that', async () => {
    const { email, browser } = await withMails();
    const token = await tokenOf(email, 'password_reset');
    const answer = await browser.delete('/users/me', { body: { password: PASSWORD } });
    expect(answer.status).toBe(204);
    expect(await templatesTo(email)).toEqual([]);
    expect((await post('/auth/password/reset', { token, new_password: NEW })).status).toBe(404);
  });

  it('a code that is used while its mail waits for the next attempt; its content is deleted within a minute', async () => {
    const { email } = await registerUser(app);
    app.clock.advance(1);
    await requestCode(email);
    const code = await paramOf(email, 'login_code', 'code');
    const { db } = app.deps;
    const { id } = await db.selectFrom('mails').select('id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
    await db
      .updateTable('mails')
      .set({ next_attempt_at: after(app.clock.now(), 3600) })
      .where('id', '=', id)
      .execute();
    expect((await post('/auth/email-otp/verify', { email, code })).status).toBe(200);
    app.clock.advance(61);
    await updateExpiredMails(db, { now: app.clock.now(), limit: 1000 });
    const mail = await db.selectFrom('mails').select(['state', 'sealed']).where('id', '=', id).executeTakeFirst();
    expect(mail).toEqual({ state: 'expired', sealed: null });
  });
});

it('a notice that an address is in use is sent although the token of the request ends', async () => {
  const [user, other] = [await registerUser(app), await registerUser(app)];
  const change = (email: string) => user.browser.post('/users/me/email', { email, password: PASSWORD });
  expect((await change(other.email)).status).toBe(204);
  app.clock.advance(1);
  expect((await change(newEmail('another'))).status).toBe(204);
  expect(await templatesTo(other.email)).toEqual(['email_in_use_notice', 'verify_email']);
});
