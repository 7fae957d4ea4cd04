import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, type Person, registerPerson } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { type Mailbox, openMailbox } from '../../../test/mailbox.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import { password } from '../password/routes.ts';
import { registration } from '../register/routes.ts';
import { sessions } from '../sessions/routes.ts';
import { emailVerification } from './routes.ts';

const features = [registration, password, sessions, emailVerification];
let app: TestApp;
let mailbox: Mailbox;
beforeAll(async () => {
  app = await startTestApp({ features });
  mailbox = openMailbox(app);
});
afterAll(() => app.close());

const send = (person: Person) => person.browser.post('/auth/email/send-verification');
const verify = (body: unknown) => createBrowser(app).post('/auth/email/verify', body);
const setUser = (id: string, changes: object) =>
  app.deps.db.updateTable('users').set(changes).where('id', '=', id).execute();
const findUser = (id: string) =>
  app.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const auditOf = (user_id: string) =>
  app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('actor_id', '=', user_id)
    .where('action', '=', 'auth.email.verified')
    .execute();
/** Somebody with the link of the registration. */
const withLink = async (): Promise<Person & { token: string }> => {
  const person = await registerPerson(app);
  return { ...person, token: await mailbox.takeToken(person.email, 'verify-email') };
};

describe('POST /auth/email/send-verification', () => {
  it('204, and a new link in place of the one before', async () => {
    const person = await withLink();
    const answer = await send(person);
    expect(answer).toMatchObject({ status: 204, text: '' });
    const second = await mailbox.takeToken(person.email, 'verify-email');
    expect((await verify({ token: person.token })).status).toBe(401);
    expect((await verify({ token: second })).status).toBe(204);
  });

  it('204 and nothing is sent when the email is verified', async () => {
    const person = await withLink();
    await verify({ token: person.token });
    expect((await send(person)).status).toBe(204);
    expect(await mailbox.take(person.email)).toEqual([]);
  });

  it('over the limit for mail: 204, nothing is sent, the link before stays good', async () => {
    const person = await withLink();
    for (let index = 0; index < 9; index++) await send(person);
    await mailbox.take(person.email);
    await send(person);
    const last = await mailbox.takeToken(person.email, 'verify-email');
    expect((await send(person)).status).toBe(204);
    expect(await mailbox.take(person.email)).toEqual([]);
    expect((await verify({ token: last })).status).toBe(204);
  });

  it('401 without a session, 403 without CSRF', async () => {
    const person = await registerPerson(app);
    expect((await createBrowser(app).post('/auth/email/send-verification')).status).toBe(401);
    const refused = await person.browser.post('/auth/email/send-verification', undefined, { csrf: false });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('csrf_failed');
  });

  it('the link leads to PUBLIC_BASE_URL, whatever the request says', async () => {
    const person = await withLink();
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' };
    await person.browser.post('/auth/email/send-verification', undefined, { headers });
    const [mail] = await mailbox.take(person.email);
    expect(mail!.text).toMatch(/^http:\/\/localhost:8080\/verify-email\?token=[\w-]{43}$/m);
    expect(JSON.stringify(mail)).not.toContain('evil');
  });
});

describe('POST /auth/email/verify', () => {
  it('204: verified from now on, audited, and known to the session at once', async () => {
    const person = await withLink();
    expect((await person.browser.get('/auth/session')).json.user.email_verified).toBe(false);
    const answer = await verify({ token: person.token });
    expect(answer).toMatchObject({ status: 204, text: '', set_cookies: [] });
    expect((await findUser(person.user_id)).email_verified_at).toEqual(app.clock.now());
    expect((await person.browser.get('/auth/session')).json.user.email_verified).toBe(true);
    expect(await auditOf(person.user_id)).toMatchObject([
      { outcome: 'success', organization_id: person.organization_id, resource_id: person.user_id, metadata: {} },
    ]);
  });

  it('401 for an unknown, used, expired or foreign token, of a disabled or deleted account, or of another address: all alike', async () => {
    const [used, disabled, deleted, moved, foreign] = [
      await withLink(),
      await withLink(),
      await withLink(),
      await withLink(),
      await withLink(),
    ];
    await verify({ token: used.token });
    await setUser(disabled.user_id, { status: 'disabled' });
    await setUser(deleted.user_id, { status: 'deleted' });
    await setUser(moved.user_id, { email: newEmail('moved') });
    await createBrowser(app).post('/auth/password/forgot', { email: foreign.email });
    const reset = await mailbox.takeToken(foreign.email, 'reset-password');
    const tokens = [randomToken(), 'x', used.token, disabled.token, deleted.token, moved.token, reset];
    const expired = await withLink();
    const answers = [];
    for (const token of tokens) answers.push(await verify({ token }));
    app.clock.advance(24 * 3600);
    answers.push(await verify({ token: expired.token }));
    for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 401, text: answers[0]!.text });
    expect(answers[0]!.json.error.code).toBe('authentication_required');
    for (const { user_id } of [disabled, deleted, moved, expired]) {
      expect((await findUser(user_id)).email_verified_at).toBeNull();
    }
  });

  it('a second before 24 hours are over the link is good', async () => {
    const person = await withLink();
    app.clock.advance(24 * 3600 - 1);
    expect((await verify({ token: person.token })).status).toBe(204);
  });

  it.each([
    [{}, 'token: is required'],
    [{ token: '' }, 'token: must be 1 to 512 characters'],
    [{ token: 'x'.repeat(513) }, 'token: must be 1 to 512 characters'],
    [{ token: 7 }, 'token: must be a string'],
    ['{"token":"x\\u0000"}', 'token: must be printable characters without spaces'],
    ['{"token":"\\ud800"}', 'token: must be printable characters without spaces'],
    ['{"__proto__":{"token":"x"}}', 'token: is required'],
    [undefined, 'body: must be a JSON object'],
  ])('400 %j', async (body, message) => {
    const answer = await verify(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('50 at once: one 204, one audit row', async () => {
    const person = await withLink();
    const tries = Array.from({ length: 50 }, () => verify({ token: person.token }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(49);
    expect(await auditOf(person.user_id)).toHaveLength(1);
  });

  it('an email that a reset has verified meanwhile keeps its time, and is not told of twice', async () => {
    const person = await withLink();
    const verified = app.clock.now();
    await setUser(person.user_id, { email_verified_at: verified });
    app.clock.advance(60);
    expect((await verify({ token: person.token })).status).toBe(204);
    expect((await findUser(person.user_id)).email_verified_at).toEqual(verified);
    expect(await auditOf(person.user_id)).toEqual([]);
  });

  it('needs no session: the token is the credential; and it is in no log line', async () => {
    const person = await withLink();
    await verify({ token: person.token });
    await verify({ token: person.token });
    const audit = await app.deps.db.selectFrom('audit_events').selectAll().execute();
    expect(JSON.stringify([app.logs, audit])).not.toContain(person.token);
  });

  it('in production the INITIAL_OWNER_EMAIL becomes platform owner by its link, once', async () => {
    const email = newEmail('owner');
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://id.example.com',
      INITIAL_OWNER_EMAIL: email,
    };
    const owned = await startTestApp({ features, environment });
    const person = await registerPerson(owned, { email });
    expect((await person.browser.get('/auth/session')).json.capabilities.platform_role).toBeNull();
    // No mail leaves here: the token is put where its hash would be.
    const token = randomToken();
    await owned.deps.db
      .updateTable('one_time_tokens')
      .set({ token_hash: hashToken(token) })
      .execute();
    expect((await createBrowser(owned).post('/auth/email/verify', { token })).status).toBe(204);
    expect((await person.browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
    await owned.close();
  });
});
