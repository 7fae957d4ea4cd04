import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  bearer,
  createBrowser,
  PASSWORD,
  type Person,
  registerPerson,
  signInAgain,
} from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { findUser, kindsOf, liveSessions, revocationsOf, trustBrowser } from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';
import { change, changesOf, changeTo, login, NEW, takeNotices } from './password-fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('POST /users/me/password', () => {
  it('204; the new one signs in, the old one does not', async () => {
    const person = await registerPerson(app);
    app.clock.advance(7);
    const answer = await changeTo(person.browser, NEW);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect((await login(app, person.email, NEW)).status).toBe(200);
    expect((await login(app, person.email, PASSWORD)).status).toBe(401);
    const { last_password_change_at, updated_at, password_hash } = await findUser(app, person.user_id);
    expect(last_password_change_at).toEqual(app.clock.now());
    expect(updated_at).toEqual(app.clock.now());
    expect(password_hash).toMatch(/^\$argon2id\$/);
    expect((await person.browser.get('/users/me')).json.last_password_change_at).toBe(app.clock.now().toISOString());
  });

  it('ends every other session at once, publishes them, and keeps this one', async () => {
    const person = await registerPerson(app);
    const other = await signInAgain(app, person);
    const { session_family_id } = (await other.get('/auth/session')).json.user;
    await changeTo(person.browser, NEW);
    expect((await person.browser.get('/auth/session')).status).toBe(200);
    expect((await person.browser.post('/auth/refresh')).status).toBe(200);
    expect((await other.get('/auth/session')).status).toBe(401);
    expect((await other.post('/auth/refresh')).status).toBe(401);
    expect(await liveSessions(app, person.user_id)).toEqual([person.session_id]);
    expect(await revocationsOf(app, session_family_id)).toHaveLength(1);
    expect(await revocationsOf(app, person.session_id)).toEqual([]);
  });

  it('leaves the sessions of other people alone', async () => {
    const [person, neighbour] = [await registerPerson(app), await registerPerson(app)];
    await changeTo(person.browser, NEW);
    expect((await neighbour.browser.get('/auth/session')).status).toBe(200);
    expect((await login(app, neighbour.email, PASSWORD)).status).toBe(200);
  });

  it('forgets every trusted browser, and what made it trusted', async () => {
    const [person, neighbour] = [await registerPerson(app), await registerPerson(app)];
    const now = app.clock.now();
    const earlier = after(now, -60);
    await trustBrowser(app, person.user_id);
    await trustBrowser(app, person.user_id, { token_hash: null, revoked_at: earlier });
    await trustBrowser(app, neighbour.user_id);
    await changeTo(person.browser, NEW);
    const left = (user_id: string) =>
      app.deps.db
        .selectFrom('trusted_browsers')
        .select(['token_hash', 'revoked_at'])
        .where('user_id', '=', user_id)
        .orderBy('revoked_at')
        .execute();
    expect(await left(person.user_id)).toEqual([
      { token_hash: null, revoked_at: earlier },
      { token_hash: null, revoked_at: now },
    ]);
    expect((await left(neighbour.user_id))[0]).toMatchObject({ token_hash: expect.any(Buffer), revoked_at: null });
  });

  it('voids what was mailed out and could undo it; a verification link stays good', async () => {
    const person = await registerPerson(app);
    const now = app.clock.now();
    const kinds = ['password_reset', 'login_code', 'email_change'] as const;
    await app.deps.db
      .insertInto('one_time_tokens')
      .values(
        kinds.map((kind) => ({
          kind,
          subject: person.user_id,
          user_id: person.user_id,
          token_hash: Buffer.from(uuid()),
          email: null,
          created_at: now,
          expires_at: after(now, 600),
        })),
      )
      .execute();
    await changeTo(person.browser, NEW);
    expect(await kindsOf(app, person.user_id)).toEqual(['email_verification']);
  });

  it('is in the trail, without a trace of either password', async () => {
    const person = await registerPerson(app);
    await changeTo(person.browser, NEW);
    const rows = await changesOf(app, person);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      actor_id: person.user_id,
      actor_type: 'user',
      organization_id: person.organization_id,
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
  ])('a mail tells of it, in the language of the person: %s', async (locale, subject) => {
    const person = await registerPerson(app);
    await person.browser.patch('/users/me', { locale });
    await changeTo(person.browser, NEW);
    const [mail, ...more] = await takeNotices(app, person);
    expect(more).toEqual([]);
    expect(mail!.subject).toContain(subject);
    expect(mail!.text).not.toContain(NEW);
  });

  it('the same password again: 400, and nothing has changed', async () => {
    const person = await registerPerson(app);
    const other = await signInAgain(app, person);
    const answer = await changeTo(person.browser, PASSWORD);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      code: 'invalid_input',
      message: 'new_password: must differ from the current one',
    });
    expect((await other.get('/auth/session')).status).toBe(200);
    expect(await changesOf(app, person)).toEqual([]);
    // Said only to whoever knows the password: a wrong one that is repeated is a wrong one.
    expect((await changeTo(person.browser, NEW, NEW)).status).toBe(401);
  });

  describe('a fault is 400, named, and no attempt is counted', () => {
    let person: Person;
    beforeAll(async () => {
      person = await registerPerson(app);
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
      ['current_password', { current_password: 'x'.repeat(257), new_password: NEW }],
      ['current_password', { current_password: ['x'], new_password: NEW }],
    ])('%s: %j', async (field, body) => {
      for (let index = 0; index < 6; index++) {
        const answer = await change(person.browser, body);
        expect(answer.status).toBe(400);
        expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
      }
      expect(await changesOf(app, person)).toEqual([]);
    });

    it('after all of them, the right one passes', async () => {
      expect((await changeTo(person.browser, NEW)).status).toBe(204);
    });
  });

  it('takes any characters, as they are: spaces at the ends, NUL, 256 of four bytes', async () => {
    const person = await registerPerson(app);
    let current = PASSWORD;
    for (const next of ['  spaces at the ends  ', 'before\0and after', '😀'.repeat(256)]) {
      expect((await changeTo(person.browser, next, current)).status).toBe(204);
      expect((await login(app, person.email, next)).status).toBe(200);
      current = next;
    }
    expect((await login(app, person.email, 'before')).status).toBe(401);
  });

  it('no session: 401; a cookie without CSRF: 403; a Bearer needs none', async () => {
    const person = await registerPerson(app);
    const body = { current_password: PASSWORD, new_password: NEW };
    expect((await change(createBrowser(app), body)).status).toBe(401);
    const forged = await person.browser.post('/users/me/password', body, { csrf: false });
    expect(forged.json.error.code).toBe('csrf_failed');
    expect(forged.status).toBe(403);
    const byBearer = await createBrowser(app).post('/users/me/password', body, bearer(person.access_token));
    expect(byBearer.status).toBe(204);
  });
});

describe('a wrong current password', () => {
  const wrong = (browser: Browser) => changeTo(browser, NEW, 'not the password at all');

  it('401, told in the trail, and nothing changes', async () => {
    const person = await registerPerson(app);
    const other = await signInAgain(app, person);
    const answer = await wrong(person.browser);
    expect(answer.status).toBe(401);
    expect(answer.json.error.code).toBe('authentication_required');
    expect((await changesOf(app, person)).map(({ outcome }) => outcome)).toEqual(['failure']);
    expect((await other.get('/auth/session')).status).toBe(200);
    expect((await login(app, person.email, PASSWORD)).status).toBe(200);
    expect(await takeNotices(app, person)).toEqual([]);
  });

  it('five in a row lock the question for 15 minutes, the right one too', async () => {
    const person = await registerPerson(app);
    for (let index = 0; index < 5; index++) expect((await wrong(person.browser)).status).toBe(401);
    const locked = await changeTo(person.browser, NEW);
    expect(locked.status).toBe(429);
    expect(locked.json.error.code).toBe('rate_limited');
    expect(locked.headers['retry-after']).toBe('900');
    app.clock.advance(899);
    expect((await changeTo(person.browser, NEW)).headers['retry-after']).toBe('1');
    app.clock.advance(1);
    await person.browser.post('/auth/refresh');
    expect((await changeTo(person.browser, NEW)).status).toBe(204);
  });

  it('a right one ends the row', async () => {
    const person = await registerPerson(app);
    for (let index = 0; index < 4; index++) await wrong(person.browser);
    expect((await changeTo(person.browser, NEW)).status).toBe(204);
    for (let index = 0; index < 4; index++) expect((await wrong(person.browser)).status).toBe(401);
    expect((await changeTo(person.browser, PASSWORD, NEW)).status).toBe(204);
  });

  it('locks nobody else, and not the sign-in', async () => {
    const [person, neighbour] = [await registerPerson(app), await registerPerson(app)];
    for (let index = 0; index < 6; index++) await wrong(person.browser);
    expect((await login(app, person.email, PASSWORD)).status).toBe(200);
    expect((await changeTo(neighbour.browser, NEW)).status).toBe(204);
  });
});
