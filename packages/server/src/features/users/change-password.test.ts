import { sql } from 'kysely';
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
import { mailFolderPath } from '../../domain/mail/transport.ts';
import { after } from '../../platform/clock.ts';
import { openMailFolder } from '../../platform/mail/folder.ts';
import { password } from '../password/routes.ts';
import { registration } from '../register/routes.ts';
import { sessions } from '../sessions/routes.ts';
import { users } from './routes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ features: [registration, password, sessions, users] });
});
afterAll(() => app.close());

const NEW = 'another horse, another staple';
const change = (browser: Browser, body: object) => browser.post('/users/me/password', body);
const changeTo = (browser: Browser, new_password: string, current_password = PASSWORD) =>
  change(browser, { current_password, new_password });
const login = (email: string, given: string) => createBrowser(app).post('/auth/login', { email, password: given });

const row = (person: Person) =>
  app.deps.db.selectFrom('users').selectAll().where('id', '=', person.user_id).executeTakeFirstOrThrow();
const trail = (person: Person) =>
  app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('action', '=', 'auth.password.changed')
    .where('resource_id', '=', person.user_id)
    .orderBy('id')
    .execute();
const liveSessions = (person: Person) =>
  app.deps.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', person.user_id)
    .where('revoked_at', 'is', null)
    .execute();
const mailsTo = async (person: Person) => {
  const mails = await openMailFolder({ path: mailFolderPath(app.deps.config), clock: app.clock }).list();
  return mails.filter(({ to, subject }) => to === person.email && /password|Passwort/.test(subject));
};

describe('POST /users/me/password', () => {
  it('204; the new one signs in, the old one does not', async () => {
    const person = await registerPerson(app);
    app.clock.advance(7);
    const answer = await changeTo(person.browser, NEW);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect((await login(person.email, NEW)).status).toBe(200);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    const { last_password_change_at, updated_at, password_hash } = await row(person);
    expect(last_password_change_at).toEqual(app.clock.now());
    expect(updated_at).toEqual(app.clock.now());
    expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
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
    expect(await liveSessions(person)).toEqual([{ id: person.session_id }]);
    const published = await app.deps.db.selectFrom('revocations').select('sid').execute();
    expect(published).toContainEqual({ sid: session_family_id });
    expect(published).not.toContainEqual({ sid: person.session_id });
  });

  it('leaves the sessions of other people alone', async () => {
    const [person, neighbour] = [await registerPerson(app), await registerPerson(app)];
    await changeTo(person.browser, NEW);
    expect((await neighbour.browser.get('/auth/session')).status).toBe(200);
    expect((await login(neighbour.email, PASSWORD)).status).toBe(200);
  });

  it('forgets every trusted browser, and what made it trusted', async () => {
    const [person, neighbour] = [await registerPerson(app), await registerPerson(app)];
    const now = app.clock.now();
    const earlier = after(now, -60);
    const trusted = (user_id: string, revoked_at: Date | null = null) => ({
      id: uuid(),
      user_id,
      token_hash: revoked_at ? null : Buffer.from(uuid()),
      name: 'Browser',
      user_agent: null,
      created_at: now,
      last_used_at: null,
      expires_at: after(now, 600),
      revoked_at,
    });
    await app.deps.db
      .insertInto('trusted_browsers')
      .values([trusted(person.user_id), trusted(person.user_id, earlier), trusted(neighbour.user_id)])
      .execute();
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
    const left = await app.deps.db
      .selectFrom('one_time_tokens')
      .select('kind')
      .where('subject', '=', person.user_id)
      .execute();
    expect(left).toEqual([{ kind: 'email_verification' }]);
  });

  it('is in the trail, without a trace of either password', async () => {
    const person = await registerPerson(app);
    await changeTo(person.browser, NEW);
    const rows = await trail(person);
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
    await expect.poll(() => mailsTo(person)).toHaveLength(1);
    const [mail] = await mailsTo(person);
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
    expect(await trail(person)).toEqual([]);
    // Said only to whoever knows the password: a wrong one that is repeated is a wrong one.
    expect((await changeTo(person.browser, NEW, NEW)).status).toBe(401);
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
  ])('%s is at fault: 400, named, and no attempt is counted', async (field, body) => {
    const person = await registerPerson(app);
    for (let index = 0; index < 6; index++) {
      const answer = await change(person.browser, body);
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
    }
    expect(await trail(person)).toEqual([]);
    expect((await changeTo(person.browser, NEW)).status).toBe(204);
  });

  it('takes any characters, as they are: spaces at the ends, NUL, 256 of four bytes', async () => {
    const person = await registerPerson(app);
    let current = PASSWORD;
    for (const next of ['  spaces at the ends  ', 'before\0and after', '😀'.repeat(256)]) {
      expect((await changeTo(person.browser, next, current)).status).toBe(204);
      expect((await login(person.email, next)).status).toBe(200);
      current = next;
    }
    expect((await login(person.email, 'before')).status).toBe(401);
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
    expect((await trail(person)).map(({ outcome }) => outcome)).toEqual(['failure']);
    expect((await other.get('/auth/session')).status).toBe(200);
    expect((await login(person.email, PASSWORD)).status).toBe(200);
    expect(await mailsTo(person)).toEqual([]);
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
    expect((await login(person.email, PASSWORD)).status).toBe(200);
    expect((await changeTo(neighbour.browser, NEW)).status).toBe(204);
  });

  it('thirty at once are judged no more kindly: five are 401', async () => {
    const person = await registerPerson(app);
    const answers = await Promise.all(Array.from({ length: 30 }, () => wrong(person.browser)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([5, 25]);
    expect((await changeTo(person.browser, NEW)).status).toBe(429);
  });
});

describe('changes at the same moment', () => {
  it('exactly one wins, and its session alone goes on', async () => {
    const person = await registerPerson(app);
    const browsers = [person.browser, ...(await Promise.all([1, 2, 3, 4, 5].map(() => signInAgain(app, person))))];
    const answers = await Promise.all(browsers.map((browser, index) => changeTo(browser, `${NEW} ${index}`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    const winner = statuses.indexOf(204);
    for (const index of browsers.keys()) {
      const expected = index === winner ? 200 : 401;
      expect((await login(person.email, `${NEW} ${index}`)).status).toBe(expected);
      expect((await browsers[index]!.get('/auth/session')).status).toBe(expected);
    }
    expect((await trail(person)).filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    await expect.poll(() => mailsTo(person)).toHaveLength(1);
  });

  it('a sign-in with the old password opens no session that outlives the change', async () => {
    for (let round = 0; round < 3; round++) {
      const person = await registerPerson(app);
      const [changed] = await Promise.all([
        changeTo(person.browser, NEW),
        ...Array.from({ length: 5 }, () => login(person.email, PASSWORD)),
      ]);
      expect(changed!.status).toBe(204);
      expect(await liveSessions(person)).toEqual([{ id: person.session_id }]);
    }
  });
});

describe('a sign-in that is just being written', () => {
  it('is waited for, and its session ends with the others', async () => {
    const person = await registerPerson(app);
    const { db } = app.deps;
    const session = await db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', person.session_id)
      .executeTakeFirstOrThrow();
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    // As the one door does it: the user's row and the session, in one transaction that has judged the old password.
    const signIn = db.transaction().execute(async (tx) => {
      const last_login_at = app.clock.now();
      await tx.updateTable('users').set({ last_login_at }).where('id', '=', person.user_id).execute();
      await tx
        .insertInto('sessions')
        .values({ ...session, id: uuid(), refresh_jti: null })
        .execute();
      await held;
    });
    const changing = changeTo(person.browser, NEW);
    const waiting = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length;
    };
    await expect.poll(waiting, { timeout: 5_000 }).toBe(1);
    commit();
    await signIn;
    expect((await changing).status).toBe(204);
    expect(await liveSessions(person)).toEqual([{ id: person.session_id }]);
  });
});

describe('a first password (the contract: adding a way in)', () => {
  const without = async (changes: { mfa_enabled_at?: Date } = {}) => {
    const person = await registerPerson(app);
    await app.deps.db
      .updateTable('users')
      .set({ password_hash: null, last_password_change_at: null, ...changes })
      .where('id', '=', person.user_id)
      .execute();
    return person;
  };
  const become = async (person: Person, session: { aal?: 'aal2'; mfa_verified_at?: Date }) => {
    await app.deps.db.updateTable('sessions').set(session).where('id', '=', person.session_id).execute();
    await app.deps.bus.deliver([{ topic: 'user', key: person.user_id }]);
  };
  const expectRefused = async (person: Person) => {
    const answer = await change(person.browser, { new_password: NEW });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toMatchObject({ code: 'mfa_required', type: 'mfa_required' });
    expect((await row(person)).password_hash).toBeNull();
  };

  it('soon after the sign-in: 204, with all that a change brings', async () => {
    const person = await without();
    expect((await person.browser.get('/users/me')).json.has_password).toBe(false);
    app.clock.advance(15 * 60 - 1);
    expect((await change(person.browser, { new_password: NEW })).status).toBe(204);
    expect((await person.browser.get('/users/me')).json.has_password).toBe(true);
    expect((await login(person.email, NEW)).status).toBe(200);
    expect((await trail(person)).map(({ outcome }) => outcome)).toEqual(['success']);
    await expect.poll(() => mailsTo(person)).toHaveLength(1);
  });

  it('what is sent as current password is not looked at, not even when it is the new one', async () => {
    const person = await without();
    expect((await changeTo(person.browser, NEW, NEW)).status).toBe(204);
  });

  it('more than 15 minutes after the sign-in: 401 mfa_required, a refresh changes nothing', async () => {
    const person = await without();
    app.clock.advance(15 * 60 + 1);
    expect((await person.browser.post('/auth/refresh')).status).toBe(200);
    await expectRefused(person);
  });

  it('a second factor verified in the last 15 minutes is as good as a sign-in', async () => {
    const person = await without({ mfa_enabled_at: app.clock.now() });
    app.clock.advance(3600);
    await person.browser.post('/auth/refresh');
    await become(person, { aal: 'aal2', mfa_verified_at: after(app.clock.now(), -15 * 60 - 1) });
    await expectRefused(person);
    await become(person, { mfa_verified_at: after(app.clock.now(), -15 * 60) });
    expect((await change(person.browser, { new_password: NEW })).status).toBe(204);
  });

  it('with a second factor on, a session that has not shown it is refused, however fresh', async () => {
    const person = await without({ mfa_enabled_at: app.clock.now() });
    await expectRefused(person);
    await become(person, { aal: 'aal2' });
    expect((await change(person.browser, { new_password: NEW })).status).toBe(204);
  });

  it('ten at once: one is the first', async () => {
    const person = await without();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => change(person.browser, { new_password: `${NEW} ${index}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    // Who comes later either lost the race, or finds a password and is asked for it.
    expect(statuses.every((status) => [204, 400, 401].includes(status))).toBe(true);
    expect((await login(person.email, `${NEW} ${statuses.indexOf(204)}`)).status).toBe(200);
  });
});
