import { describe, expect, it } from 'vitest';
import {
  atOnce,
  claimsOf,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser, knowToken, setUser } from '../../../test/records.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';

const app = useTestApp();

const send = (account: TestUser) => account.browser.post('/auth/email/send-verification');
const verify = (body: unknown) => createBrowser(app).post('/auth/email/verify', body);
const preview = (token: string) => createBrowser(app).post('/auth/email/verify/preview', { token });
const verificationsOf = (user_id: string) => auditOf(app, { actor_id: user_id, action: 'auth.email.verified' });
const withLink = async (): Promise<TestUser & { token: string }> => {
  const account = await registerUser(app);
  return { ...account, token: await app.mailbox.takeToken(account.email, 'verify-email') };
};

describe('POST /auth/email/send-verification', () => {
  it('send-verification is 204 and mails a new link, which replaces the previous one', async () => {
    const account = await withLink();
    const answer = await send(account);
    expect(answer).toMatchObject({ status: 204, text: '' });
    const second = await app.mailbox.takeToken(account.email, 'verify-email');
    expect((await verify({ token: account.token })).status).toBe(401);
    expect((await verify({ token: second })).status).toBe(204);
  });

  it('204 without a mail if the email is verified', async () => {
    const account = await withLink();
    await verify({ token: account.token });
    expect((await send(account)).status).toBe(204);
    expect(await app.mailbox.take(account.email)).toEqual([]);
  });

  it('over the mail limit: 204 without a mail, and the previous link stays valid', async () => {
    const account = await withLink();
    for (let index = 0; index < 9; index++) await send(account);
    await app.mailbox.take(account.email);
    await send(account);
    const last = await app.mailbox.takeToken(account.email, 'verify-email');
    expect((await send(account)).status).toBe(204);
    expect(await app.mailbox.take(account.email)).toEqual([]);
    expect((await verify({ token: last })).status).toBe(204);
  });

  it('401 without a session, 403 without CSRF', async () => {
    const account = await registerUser(app);
    expect((await createBrowser(app).post('/auth/email/send-verification')).status).toBe(401);
    const refused = await account.browser.post('/auth/email/send-verification', undefined, { csrf: false });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('csrf_failed');
  });

  it('the link leads to PUBLIC_BASE_URL, whatever the request says', async () => {
    const account = await withLink();
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' };
    await account.browser.post('/auth/email/send-verification', undefined, { headers });
    const [mail] = await app.mailbox.take(account.email);
    expect(mail!.text).toMatch(/^http:\/\/localhost:8080\/verify-email\?token=[\w-]{43}$/m);
    expect(JSON.stringify(mail)).not.toContain('evil');
  });
});

describe('POST /auth/email/verify', () => {
  it('verify is 204: the email is verified, audited, and shown in the session at once', async () => {
    const account = await withLink();
    expect((await account.browser.get('/auth/session')).json.user.email_verified).toBe(false);
    const answer = await verify({ token: account.token });
    expect(answer).toMatchObject({ status: 204, text: '', set_cookies: [] });
    expect((await findUser(app, account.user_id)).email_verified_at).toEqual(app.clock.now());
    expect((await account.browser.get('/auth/session')).json.user.email_verified).toBe(true);
    expect(claimsOf(account.access_token).email_verified).toBe(false);
    expect(claimsOf((await account.browser.post('/auth/refresh')).json.access_token).email_verified).toBe(true);
    const again = await signInAgain(app, account);
    expect(claimsOf(again.jar.get('service_at')!).email_verified).toBe(true);
    expect(await verificationsOf(account.user_id)).toMatchObject([
      { outcome: 'success', organization_id: account.organization_id, resource_id: account.user_id, metadata: {} },
    ]);
  });

  it('the same 401 for a token that is unknown, used, expired or for another purpose, and for a disabled or deleted account or one with a new email', async () => {
    const [used, disabled, deleted, moved, foreign] = [
      await withLink(),
      await withLink(),
      await withLink(),
      await withLink(),
      await withLink(),
    ];
    await verify({ token: used.token });
    await setUser(app, disabled.user_id, { status: 'disabled' });
    await setUser(app, deleted.user_id, { status: 'deleted' });
    await setUser(app, moved.user_id, { email: newEmail('moved') });
    await createBrowser(app).post('/auth/password/forgot', { email: foreign.email });
    const reset = await app.mailbox.takeToken(foreign.email, 'reset-password');
    const tokens = [randomToken(), 'x', used.token, disabled.token, deleted.token, moved.token, reset];
    const expired = await withLink();
    const answers = [];
    for (const token of tokens) answers.push(await verify({ token }), await preview(token));
    app.clock.advance(24 * 3600);
    answers.push(await verify({ token: expired.token }), await preview(expired.token));
    for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 401, text: answers[0]!.text });
    expect(answers[0]!.json.error.code).toBe('authentication_required');
    for (const { user_id } of [disabled, deleted, moved, expired]) {
      expect((await findUser(app, user_id)).email_verified_at).toBeNull();
    }
  });

  it('the link is valid until a second before 24 hours have passed', async () => {
    const account = await withLink();
    app.clock.advance(24 * 3600 - 1);
    expect((await verify({ token: account.token })).status).toBe(204);
  });

  it.each([
    [{}, 'token: is required'],
    [{ token: '' }, 'token: must not be empty'],
    [{ token: 7 }, 'token: must be a string'],
    ['{"token":"x\\u0000"}', 'token: must be printable characters without spaces'],
    ['{"token":"\\ud800"}', 'token: must be printable characters without spaces'],
    ['{"__proto__":{"token":"x"}}', 'token: is required'],
    [undefined, 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await verify(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('of ten concurrent requests with one token one is 204, and one audit row is written', async () => {
    const account = await withLink();
    const answers = await atOnce(10, () => verify({ token: account.token }));
    expect(tally(answers)).toEqual({ 204: 1, 401: 9 });
    expect(await verificationsOf(account.user_id)).toHaveLength(1);
  });

  it('an email that a reset verified in the meantime keeps the time of that verification and is audited once', async () => {
    const account = await withLink();
    const verified = app.clock.now();
    await setUser(app, account.user_id, { email_verified_at: verified });
    app.clock.advance(60);
    expect((await verify({ token: account.token })).status).toBe(204);
    expect((await findUser(app, account.user_id)).email_verified_at).toEqual(verified);
    expect(await verificationsOf(account.user_id)).toEqual([]);
  });

  it('verifying needs no session, because the token is the credential, and the token is not logged', async () => {
    const account = await withLink();
    await preview(account.token);
    await verify({ token: account.token });
    await verify({ token: account.token });
    await preview(account.token);
    expect(JSON.stringify([app.logs, await auditOf(app)])).not.toContain(account.token);
  });

  it('in production the account of INITIAL_OWNER_EMAIL becomes platform owner through the link, opened in a session of the account', async () => {
    const email = newEmail('owner');
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://id.example.com',
      INITIAL_OWNER_EMAIL: email,
    };
    const owned = await startTestApp({ environment });
    const account = await registerUser(owned, { email });
    expect((await account.browser.get('/auth/session')).json.capabilities.platform_role).toBeNull();
    // This service sends no mail, so the test inserts the hash of a known token.
    const token = await knowToken(owned, account.user_id, 'email_verification');
    expect((await account.browser.post('/auth/email/verify', { token })).status).toBe(204);
    expect((await account.browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
    await owned.close();
  });
});

describe('POST /auth/email/verify/preview', () => {
  it('the preview is 200 with the email; repeatable, does not consume the link, and is not audited', async () => {
    const account = await withLink();
    for (let index = 0; index < 3; index++) {
      const answer = await preview(account.token);
      expect(answer).toMatchObject({ status: 200, set_cookies: [] });
      expect(answer.json).toMatchObject({ email: account.email, kind: 'verification' });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    expect((await findUser(app, account.user_id)).email_verified_at).toBeNull();
    expect(await verificationsOf(account.user_id)).toEqual([]);
    expect((await verify({ token: account.token })).status).toBe(204);
    expect((await preview(account.token)).status).toBe(401);
  });

  it('the preview is 200 with the new email, for an email change', async () => {
    const { browser } = await registerUser(app);
    const email = newEmail('new');
    await browser.post('/users/me/email', { email, password: PASSWORD });
    const token = await app.mailbox.takeToken(email, 'verify-email');
    expect((await preview(token)).json).toEqual({ email, kind: 'change' });
    expect((await verify({ token })).status).toBe(204);
  });

  it.each([{}, { token: '' }, { token: '\0' }, { token: ['a', 'b'] }, { Token: 'a' }, []])(
    'the preview is 400 for the body %j',
    async (body) => {
      const answer = await createBrowser(app).post('/auth/email/verify/preview', body);
      expect(answer.status).toBe(400);
      expect(answer.json.error.code).toBe('invalid_input');
    },
  );
});
