import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  bearer,
  createBrowser,
  PASSWORD,
  registerUser,
  signInAgain,
  type TestUser,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { findUser, kindsOf, liveSessions, revocationsOf, trustBrowser } from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';
import { change, changesOf, changeTo, login, NEW, takeNotices } from './password-fixture.ts';

const app = useTestApp();

describe('POST /users/me/password', () => {
  it('204; sign-in works with the new password, not with the old one', async () => {
    const account = await registerUser(app);
    app.clock.advance(7);
    const answer = await changeTo(account.browser, NEW);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect((await login(app, account.email, NEW)).status).toBe(200);
    expect((await login(app, account.email, PASSWORD)).status).toBe(401);
    const { last_password_change_at, updated_at, password_hash } = await findUser(app, account.user_id);
    expect(last_password_change_at).toEqual(app.clock.now());
    expect(updated_at).toEqual(app.clock.now());
    expect(password_hash).toMatch(/^\$argon2id\$/);
    expect((await account.browser.get('/users/me')).json.last_password_change_at).toBe(app.clock.now().toISOString());
  });

  it('a change ends every other session at once, lists them in the feed, and keeps the current session', async () => {
    const account = await registerUser(app);
    const other = await signInAgain(app, account);
    const { session_family_id } = (await other.get('/auth/session')).json.user;
    await changeTo(account.browser, NEW);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    expect((await account.browser.post('/auth/refresh')).status).toBe(200);
    expect((await other.get('/auth/session')).status).toBe(401);
    expect((await other.post('/auth/refresh')).status).toBe(401);
    expect(await liveSessions(app, account.user_id)).toEqual([account.session_id]);
    expect(await revocationsOf(app, session_family_id)).toHaveLength(1);
    expect(await revocationsOf(app, account.session_id)).toEqual([]);
  });

  it('a change keeps the sessions of other users', async () => {
    const [account, neighbour] = [await registerUser(app), await registerUser(app)];
    await changeTo(account.browser, NEW);
    expect((await neighbour.browser.get('/auth/session')).status).toBe(200);
    expect((await login(app, neighbour.email, PASSWORD)).status).toBe(200);
  });

  it('a change revokes every trusted browser and deletes its key material', async () => {
    const [account, neighbour] = [await registerUser(app), await registerUser(app)];
    const now = app.clock.now();
    const earlier = after(now, -60);
    await trustBrowser(app, account.user_id);
    await trustBrowser(app, account.user_id, { token_hash: null, revoked_at: earlier });
    await trustBrowser(app, neighbour.user_id);
    await changeTo(account.browser, NEW);
    const left = (user_id: string) =>
      app.deps.db
        .selectFrom('trusted_browsers')
        .select(['token_hash', 'revoked_at'])
        .where('user_id', '=', user_id)
        .orderBy('revoked_at')
        .execute();
    expect(await left(account.user_id)).toEqual([
      { token_hash: null, revoked_at: earlier },
      { token_hash: null, revoked_at: now },
    ]);
    expect((await left(neighbour.user_id))[0]).toMatchObject({ token_hash: expect.any(Buffer), revoked_at: null });
  });

  it('a change invalidates mailed links and codes that could undo it; a verification link stays valid', async () => {
    const account = await registerUser(app);
    const now = app.clock.now();
    const kinds = ['password_reset', 'login_code', 'email_change'] as const;
    await app.deps.db
      .insertInto('one_time_tokens')
      .values(
        kinds.map((kind) => ({
          kind,
          subject: account.user_id,
          user_id: account.user_id,
          token_hash: Buffer.from(uuid()),
          email: null,
          created_at: now,
          expires_at: after(now, 600),
        })),
      )
      .execute();
    await changeTo(account.browser, NEW);
    expect(await kindsOf(app, account.user_id)).toEqual(['email_verification']);
  });

  it('a change is audited without either password', async () => {
    const account = await registerUser(app);
    await changeTo(account.browser, NEW);
    const rows = await changesOf(app, account);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      actor_id: account.user_id,
      actor_type: 'user',
      organization_id: account.organization_id,
      resource_type: 'user',
      metadata: {},
      outcome: 'success',
    });
    const logged = JSON.stringify([rows, app.logs]);
    expect(logged).not.toContain(NEW);
    expect(logged).not.toContain(PASSWORD);
  });

  it.each([
    ['en', 'Your password was changed'],
    ['de-CH', 'Passwort'],
  ])('a change sends a notice in the language of the user: %s', async (locale, subject) => {
    const account = await registerUser(app);
    await account.browser.patch('/users/me', { locale });
    await changeTo(account.browser, NEW);
    const [mail, ...more] = await takeNotices(app, account);
    expect(more).toEqual([]);
    expect(mail!.subject).toContain(subject);
    expect(mail!.text).not.toContain(NEW);
  });

  it('400 for the same password, and nothing changes', async () => {
    const account = await registerUser(app);
    const other = await signInAgain(app, account);
    const answer = await changeTo(account.browser, PASSWORD);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      code: 'invalid_input',
      message: 'new_password: must differ from the current one',
    });
    expect((await other.get('/auth/session')).status).toBe(200);
    expect(await changesOf(app, account)).toEqual([]);
    // The 400 is returned only if the current password is right; otherwise the response is that for a wrong password.
    expect((await changeTo(account.browser, NEW, NEW)).status).toBe(401);
  });

  describe('400 names the field, and no attempt is counted', () => {
    let account: TestUser;
    beforeAll(async () => {
      account = await registerUser(app);
    });

    it.each([
      ['new_password', { current_password: PASSWORD }],
      ['new_password', { current_password: PASSWORD, new_password: 'x'.repeat(11) }],
      ['new_password', { current_password: PASSWORD, new_password: 'x'.repeat(257) }],
      ['new_password', { current_password: PASSWORD, new_password: `broken \ud800 surrogate` }],
      ['new_password', { current_password: PASSWORD, new_password: 123456789012 }],
      ['new_password', { current_password: PASSWORD, new_password: null }],
      ['current_password', { new_password: NEW }],
      ['current_password', { current_password: '', new_password: NEW }],
      ['current_password', { current_password: null, new_password: NEW }],
      ['current_password', { current_password: ['x'], new_password: NEW }],
    ])('400 names %s for the body %j, and no attempt is counted', async (field, body) => {
      for (let index = 0; index < 6; index++) {
        const answer = await change(account.browser, body);
        expect(answer.status).toBe(400);
        expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
      }
      expect(await changesOf(app, account)).toEqual([]);
    });

    it('the right password is accepted after many invalid requests, because none counts as an attempt', async () => {
      expect((await changeTo(account.browser, NEW)).status).toBe(204);
    });
  });

  it('accepts any characters unchanged: leading and trailing spaces, NUL, 256 four-byte characters', async () => {
    const account = await registerUser(app);
    let current = PASSWORD;
    for (const next of ['  spaces at the ends  ', 'before\0and after', '😀'.repeat(256)]) {
      expect((await changeTo(account.browser, next, current)).status).toBe(204);
      expect((await login(app, account.email, next)).status).toBe(200);
      current = next;
    }
    expect((await login(app, account.email, 'before')).status).toBe(401);
  });

  it('401 without a session; 403 by cookie without CSRF; a Bearer needs none', async () => {
    const account = await registerUser(app);
    const body = { current_password: PASSWORD, new_password: NEW };
    expect((await change(createBrowser(app), body)).status).toBe(401);
    const forged = await account.browser.post('/users/me/password', body, { csrf: false });
    expect(forged.json.error.code).toBe('csrf_failed');
    expect(forged.status).toBe(403);
    const byBearer = await createBrowser(app).post('/users/me/password', body, bearer(account.access_token));
    expect(byBearer.status).toBe(204);
  });
});

describe('a wrong current password', () => {
  const wrong = (browser: Browser) => changeTo(browser, NEW, 'not the password at all');

  it('is 401, audited, and nothing changes', async () => {
    const account = await registerUser(app);
    const other = await signInAgain(app, account);
    const answer = await wrong(account.browser);
    expect(answer.status).toBe(401);
    expect(answer.json.error.code).toBe('authentication_required');
    expect((await changesOf(app, account)).map(({ outcome }) => outcome)).toEqual(['failure']);
    expect((await other.get('/auth/session')).status).toBe(200);
    expect((await login(app, account.email, PASSWORD)).status).toBe(200);
    expect(await takeNotices(app, account)).toEqual([]);
  });

  it('five wrong passwords in a row lock the check for 15 minutes, also for the right password', async () => {
    const account = await registerUser(app);
    for (let index = 0; index < 5; index++) expect((await wrong(account.browser)).status).toBe(401);
    const locked = await changeTo(account.browser, NEW);
    expect(locked.status).toBe(429);
    expect(locked.json.error.code).toBe('rate_limited');
    expect(locked.headers['retry-after']).toBe('900');
    app.clock.advance(899);
    expect((await changeTo(account.browser, NEW)).headers['retry-after']).toBe('1');
    app.clock.advance(1);
    await account.browser.post('/auth/refresh');
    expect((await changeTo(account.browser, NEW)).status).toBe(204);
  });

  it('a right password resets the count of wrong ones', async () => {
    const account = await registerUser(app);
    for (let index = 0; index < 4; index++) await wrong(account.browser);
    expect((await changeTo(account.browser, NEW)).status).toBe(204);
    for (let index = 0; index < 4; index++) expect((await wrong(account.browser)).status).toBe(401);
    expect((await changeTo(account.browser, PASSWORD, NEW)).status).toBe(204);
  });

  it('wrong passwords lock neither other users nor the sign-in', async () => {
    const [account, neighbour] = [await registerUser(app), await registerUser(app)];
    for (let index = 0; index < 6; index++) await wrong(account.browser);
    expect((await login(app, account.email, PASSWORD)).status).toBe(200);
    expect((await changeTo(neighbour.browser, NEW)).status).toBe(204);
  });
});
