import { describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../../../test/authenticator.ts';
import { bearer, createBrowser, PASSWORD, registerUser, signInAgain } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { findUser, join, recorded, setSession, setUser, trustBrowser } from '../../../../test/records.ts';
import { enrol } from '../../../../test/second-factor.ts';
import { linkIdentity, newCode, signInByCode, squat } from './squat-fixture.ts';

const app = useTestApp();

/** The extensions of a user, without the origin of the account. */
const hintOf = ({ user }: { user: { extensions: { account?: unknown } } }) => {
  const { account: _account, ...hint } = user.extensions;
  return hint;
};
const ALL = { unproven_credentials: ['identity', 'passkey', 'password'] };

describe('extensions.unproven_credentials', () => {
  it('unproven_credentials lists, sorted, the credentials that an emailed code does not prove, at sign-in and on each read', async () => {
    const { email } = await squat(app);
    const { browser, answer } = await signInByCode(app, email);
    expect(hintOf(answer.json)).toEqual(ALL);
    expect(hintOf((await browser.get('/auth/session')).json)).toEqual(ALL);
  });

  it('unproven_credentials changes with the credentials, also when another session adds or removes them', async () => {
    const registered = await registerUser(app);
    const { browser } = await signInByCode(app, registered.email);
    const read = async () => hintOf((await browser.get('/auth/session')).json);
    expect(await read()).toEqual({ unproven_credentials: ['password'] });
    const { json } = await addPasskey(registered.browser, createAuthenticator());
    expect(await read()).toEqual({ unproven_credentials: ['passkey', 'password'] });
    await linkIdentity(app, registered.user_id);
    expect(await read()).toEqual(ALL);
    await registered.browser.delete(`/users/me/passkeys/${json.id}`);
    expect(await read()).toEqual({ unproven_credentials: ['identity', 'password'] });
  });

  it('unproven_credentials is absent for sessions that began with a password, and for an account without credentials', async () => {
    const registered = await squat(app);
    expect(hintOf((await registered.browser.get('/auth/session')).json)).toEqual({});
    const again = await signInAgain(app, registered);
    expect(hintOf((await again.get('/auth/session')).json)).toEqual({});
    const bare = await registerUser(app);
    await setUser(app, bare.user_id, { password_hash: null });
    const { browser, answer } = await signInByCode(app, bare.email);
    expect(hintOf(answer.json)).toEqual({});
    expect(hintOf((await browser.get('/auth/session')).json)).toEqual({});
  });

  it('unproven_credentials is absent once the email is verified, and reading the session then takes no query', async () => {
    const { user_id, email } = await squat(app);
    const { browser } = await signInByCode(app, email);
    await browser.post('/auth/reclaim');
    expect((await findUser(app, user_id)).email_verified_at).not.toBeNull();
    const first = await browser.get('/auth/session');
    expect(hintOf(first.json)).toEqual({});
    const { result, statements } = await recorded(app, () => browser.get('/auth/session'));
    expect(hintOf(result.json)).toEqual({});
    expect(statements).toEqual([]);
  });

  it('unproven_credentials takes no query for a session that began with a password, verified or not', async () => {
    const registered = await registerUser(app);
    await registered.browser.get('/auth/session');
    expect((await recorded(app, () => registered.browser.get('/auth/session'))).statements).toEqual([]);
  });

  it('the second factor counts as proved after a challenge by recovery code, and after mfa/verify', async () => {
    const { email, factor, user_id } = await squat(app, { mfa: true });
    const { answer } = await signInByCode(app, email);
    const challenge = { mfa_token: answer.json.mfa_token, recovery_code: factor!.recovery_codes[0] };
    const challenged = await createBrowser(app).post('/auth/mfa/challenge', challenge);
    expect(hintOf(challenged.json)).toEqual(ALL);

    const cookie = await trustBrowser(app, user_id);
    const headers = { cookie };
    const body = { email, code: await newCode(app, email) };
    const trusted = await createBrowser(app).post('/auth/email-otp/verify', body, { headers });
    const withTotp = { unproven_credentials: [...ALL.unproven_credentials, 'totp'] };
    expect(hintOf(trusted.json)).toEqual(withTotp);
    const { access_token } = trusted.json;
    const verified = await createBrowser(app).post(
      '/auth/mfa/verify',
      { recovery_code: factor!.recovery_codes[1] },
      bearer(access_token),
    );
    const read = await createBrowser(app).get('/auth/session', bearer(verified.json.access_token));
    expect(hintOf(read.json)).toEqual(ALL);
  });

  it('unproven_credentials lists TOTP that was enabled after this session verified its second factor', async () => {
    const registered = await enrol(app, await registerUser(app));
    const { answer } = await signInByCode(app, registered.email);
    const challenge = { mfa_token: answer.json.mfa_token, recovery_code: registered.recovery_codes[0] };
    const { json } = await createBrowser(app).post('/auth/mfa/challenge', challenge);
    await setUser(app, registered.user_id, { mfa_enabled_at: new Date(app.clock.now().getTime() + 1000) });
    const read = await createBrowser(app).get('/auth/session', bearer(json.access_token));
    expect(hintOf(read.json)).toEqual({ unproven_credentials: ['password', 'totp'] });
  });

  it('unproven_credentials lists credentials that other sessions have added, but not those that this session has added', async () => {
    const registered = await registerUser(app);
    const { browser } = await signInByCode(app, registered.email);
    const read = async () => hintOf((await browser.get('/auth/session')).json);
    await addPasskey(browser, createAuthenticator());
    expect(await read()).toEqual({ unproven_credentials: ['password'] });
    const { json } = await addPasskey(registered.browser, createAuthenticator());
    expect(await read()).toEqual({ unproven_credentials: ['passkey', 'password'] });
    await registered.browser.delete(`/users/me/passkeys/${json.id}`);
    await enrol(app, { ...registered, browser });
    expect(await read()).toEqual({ unproven_credentials: ['password'] });
    await linkIdentity(app, registered.user_id);
    expect(await read()).toEqual({ unproven_credentials: ['identity', 'password'] });
  });

  it('unproven_credentials does not list a password that this session has proved or set', async () => {
    const registered = await registerUser(app);
    const proving = (await signInByCode(app, registered.email)).browser;
    await proving.post('/auth/mfa/disable', { password: PASSWORD });
    expect(hintOf((await proving.get('/auth/session')).json)).toEqual({});
    const wrong = (await signInByCode(app, registered.email)).browser;
    expect((await wrong.post('/auth/mfa/disable', { password: 'not the password' })).status).toBe(401);
    expect(hintOf((await wrong.get('/auth/session')).json)).toEqual({ unproven_credentials: ['password'] });

    const bare = await registerUser(app);
    await setUser(app, bare.user_id, { password_hash: null });
    const adding = (await signInByCode(app, bare.email)).browser;
    expect((await adding.post('/users/me/password', { new_password: 'a first password' })).status).toBe(204);
    expect(hintOf((await adding.get('/auth/session')).json)).toEqual({});
    const later = (await signInByCode(app, bare.email)).answer;
    expect(hintOf(later.json)).toEqual({ unproven_credentials: ['password'] });
  });

  it('unproven_credentials and the credentials that the session added are kept when switching the organization', async () => {
    const registered = await registerUser(app);
    const organization_id = await join(app, registered.user_id);
    const { browser } = await signInByCode(app, registered.email);
    await addPasskey(browser, createAuthenticator());
    const switched = await browser.post('/auth/organization', { organization_id });
    expect(hintOf(switched.json)).toEqual({ unproven_credentials: ['password'] });
    const same = await browser.post('/auth/organization', { organization_id });
    expect(hintOf(same.json)).toEqual({ unproven_credentials: ['password'] });
  });

  it('a session of the previous version, which has no first factor, is treated by its auth_method', async () => {
    const { email } = await squat(app);
    const { answer } = await signInByCode(app, email);
    const id = answer.json.user.session_family_id;
    // biome-ignore lint/suspicious/noExplicitAny: the column is written once by the service
    await setSession(app, id, { first_factor: null } as any);
    await app.deps.sessions.reload(id);
    const read = await createBrowser(app).get('/auth/session', bearer(answer.json.access_token));
    expect(hintOf(read.json)).toEqual(ALL);
    expect((await createBrowser(app).post('/auth/reclaim', undefined, bearer(answer.json.access_token))).status).toBe(
      204,
    );
  });
});

describe('the notice mail of a sign-in by code', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
  const noticesTo = async (email: string) =>
    (await app.mailbox.take(email)).filter(({ subject }) => /account yours|Konto Ihnen/.test(subject));

  it('the notice mail says when and from which device the account was created, and how to secure it', async () => {
    const body = { email: `unproven-${process.pid}@example.com`, password: PASSWORD, organization_name: 'Example' };
    await createBrowser(app).post('/auth/register', body, { headers: { 'user-agent': FIREFOX } });
    const created = app.clock.now();
    await signInByCode(app, body.email);
    const [notice, ...more] = await noticesTo(body.email);
    expect(more).toEqual([]);
    expect(notice!.text).toContain(`${created.getUTCFullYear()}`);
    expect(notice!.text).toContain('UTC with Firefox on Linux');
    expect(notice!.text).toContain('remove everything that you did not set up');
  });

  it('the notice mail is in German if that is the language of the account, and says if the device is unknown', async () => {
    const { email, user_id } = await registerUser(app);
    await setUser(app, user_id, { locale: 'de' });
    await signInByCode(app, email);
    const [notice] = await noticesTo(email);
    expect(notice!.text).toContain('UTC mit einem unbekannten Gerät angelegt');
  });

  it('the notice mail is sent at most once in 24 hours, however many sign-ins there are', async () => {
    const { email } = await squat(app);
    await app.mailbox.take(email);
    let notices = 0;
    const signIn = async () => {
      await createBrowser(app).post('/auth/email-otp/request', { email });
      const mails = await app.mailbox.take(email);
      const code = mails.map(({ text }) => /^ {4}(\d{6})$/m.exec(text)?.[1]).find(Boolean);
      await createBrowser(app).post('/auth/email-otp/verify', { email, code });
      notices += (await noticesTo(email)).length;
    };
    await signIn();
    expect(notices).toBe(1);
    app.clock.advance(86_400 - 60);
    await signIn();
    expect(notices).toBe(1);
    app.clock.advance(60);
    await signIn();
    expect(notices).toBe(2);
  });

  it('the notice mail is sent also before the second factor', async () => {
    const { email } = await squat(app, { mfa: true });
    const { answer } = await signInByCode(app, email);
    expect(answer.json.status).toBe('mfa_required');
    expect(await noticesTo(email)).toHaveLength(1);
  });

  it('the notice mail is not sent for a verified account, one without credentials, or a wrong code', async () => {
    const verified = await squat(app);
    await setUser(app, verified.user_id, { email_verified_at: app.clock.now() });
    const bare = await registerUser(app);
    await setUser(app, bare.user_id, { password_hash: null });
    const wrong = await registerUser(app);
    await signInByCode(app, verified.email);
    await signInByCode(app, bare.email);
    const right = await newCode(app, wrong.email);
    const code = right === '000000' ? '000001' : '000000';
    expect((await createBrowser(app).post('/auth/email-otp/verify', { email: wrong.email, code })).status).toBe(401);
    for (const { email } of [verified, bare, wrong]) expect(await noticesTo(email)).toEqual([]);
  });
});
