import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, type Person, registerPerson } from '../../../test/browser.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { SECRET, startTestApp, type TestApp } from '../../../test/harness.ts';
import { type Mailbox, openMailbox } from '../../../test/mailbox.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { registration } from '../register/routes.ts';
import { sessions } from '../sessions/routes.ts';
import { emailOtp } from './routes.ts';

const features = [registration, sessions, emailOtp];
let app: TestApp;
let mailbox: Mailbox;
beforeAll(async () => {
  app = await startTestApp({ features });
  mailbox = openMailbox(app);
});
afterAll(() => app.close());

const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0002';
const ask = (email: string) => createBrowser(app).post('/auth/email-otp/request', { email });
const verify = (body: unknown, headers: Record<string, string> = {}) =>
  createBrowser(app).post('/auth/email-otp/verify', body, { headers: { 'x-request-id': REQUEST_ID, ...headers } });
/** Somebody with a live code. */
const withCode = async (): Promise<Person & { code: string }> => {
  const person = await registerPerson(app);
  expect((await ask(person.email)).status).toBe(204);
  return { ...person, code: await mailbox.takeCode(person.email) };
};
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const setUser = (id: string, changes: object) =>
  app.deps.db.updateTable('users').set(changes).where('id', '=', id).execute();
const attemptsOf = async (user_id: string) => {
  const query = app.deps.db.selectFrom('one_time_tokens').select('attempts').where('kind', '=', 'login_code');
  return (await query.where('subject', '=', user_id).executeTakeFirst())?.attempts;
};
const countSessions = async (user_id: string) =>
  (await app.deps.db.selectFrom('sessions').select('id').where('user_id', '=', user_id).execute()).length;
const auditOf = (user_id: string) =>
  app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('actor_id', '=', user_id)
    .where('action', 'in', ['auth.email_otp.succeeded', 'auth.email_otp.failed'])
    .orderBy('id')
    .execute();

describe('§4.5 POST /auth/email-otp/verify', () => {
  it('200: LoginResponse, the three cookies, a session at aal1 with auth_method email_otp', async () => {
    const person = await withCode();
    const browser = createBrowser(app);
    const answer = await browser.post('/auth/email-otp/verify', {
      email: ` ${person.email.toUpperCase()}`,
      code: person.code,
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      user: {
        user_id: person.user_id,
        email: person.email,
        auth_method: 'email_otp',
        aal: 'aal1',
        email_verified: false,
      },
      capabilities: { role: 'owner' },
    });
    expect([...browser.jar.keys()].sort()).toEqual(['service_at', 'service_csrf', 'service_rt']);
    expect((await browser.get('/auth/session')).json.user.auth_method).toBe('email_otp');
    expect(await auditOf(person.user_id)).toMatchObject([
      {
        action: 'auth.email_otp.succeeded',
        outcome: 'success',
        metadata: { method: 'email_otp' },
        organization_id: person.organization_id,
        resource_id: person.user_id,
      },
    ]);
  });

  it.each([
    [{}, 'email: is required; code: is required'],
    [{ code: '123456' }, 'email: is required'],
    [{ email: 'ada@example.com' }, 'code: is required'],
    [{ email: 'ada', code: '123456' }, 'email: must be an email address'],
    [{ email: 'ada@example.com', code: '12345' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '1234567' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '12345a' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '١٢٣٤٥٦' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: 123456 }, 'code: must be a string'],
    [{ email: 'ada@example.com', code: null }, 'code: must be a string'],
    ['{"email":"ada\\u0000@example.com","code":"123456"}', 'email: must be an email address'],
    ['{"email":"ada\\ud800@example.com","code":"123456"}', 'email: must be an email address'],
    ['{"email":"ada@example.com","code":"12345\\u0000"}', 'code: must be 6 digits'],
    ['{"email":"ada@example.com","code":"123456\\n"}', 'code: must be 6 digits'],
    ['{"__proto__":{"email":"ada@example.com","code":"123456"}}', 'email: is required; code: is required'],
    [[], 'body: must be a JSON object'],
    ['{', 'body: must be valid JSON'],
  ])('400 %j', async (body, message) => {
    const answer = await verify(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('a malformed code is no attempt', async () => {
    const person = await withCode();
    await verify({ email: person.email, code: 'x' });
    expect(await attemptsOf(person.user_id)).toBe(0);
  });

  it('401 alike, to the byte, and as many rows: wrong, unknown, disabled, deleted, never asked, expired, exhausted', async () => {
    const [wrong, disabled, deleted, exhausted, never] = await Promise.all([
      ...[1, 2, 3, 4].map(withCode),
      registerPerson(app).then((person) => ({ ...person, code: '123456' })),
    ]);
    await setUser(disabled!.user_id, { status: 'disabled' });
    await setUser(deleted!.user_id, { status: 'deleted' });
    for (let index = 0; index < 5; index++) await verify({ email: exhausted!.email, code: another(exhausted!.code) });
    const unknown = newEmail('unknown');
    await ask(unknown);
    const cases = [
      { email: wrong!.email, code: another(wrong!.code) },
      { email: unknown, code: '123456' },
      { email: newEmail('unasked'), code: '123456' },
      { email: disabled!.email, code: disabled!.code },
      { email: deleted!.email, code: deleted!.code },
      { email: exhausted!.email, code: exhausted!.code },
      { email: never!.email, code: never!.code },
    ];
    const seen = [];
    for (const body of cases) {
      const before = await totals();
      const { status, text, headers } = await verify(body);
      const after = await totals();
      seen.push({
        status,
        text,
        headers: { ...headers, date: '' },
        rows: after.map((count, index) => count - before[index]!),
      });
    }
    const late = await withCode();
    app.clock.advance(600);
    const before = await totals();
    const { status, text, headers } = await verify({ email: late.email, code: late.code });
    const after = await totals();
    seen.push({
      status,
      text,
      headers: { ...headers, date: '' },
      rows: after.map((count, index) => count - before[index]!),
    });
    // Somebody's second failure counts on a counter that is there already.
    for (const one of seen) expect({ ...one, rows: [...one.rows.slice(0, 2)] }).toEqual({ ...seen[0], rows: [1, 0] });
    expect(JSON.parse(seen[0]!.text).error).toEqual({
      code: 'authentication_required',
      message: 'the credentials are not valid',
      type: 'authentication_error',
    });
  });

  const totals = async () => {
    const counts = [];
    for (const table of ['audit_events', 'sessions'] as const) {
      counts.push((await app.deps.db.selectFrom(table).selectAll().execute()).length);
    }
    return counts;
  };

  it('a failure is audited, with nothing that was typed', async () => {
    const person = await withCode();
    const code = another(person.code);
    await verify({ email: person.email, code });
    const [row] = await auditOf(person.user_id);
    expect(row).toMatchObject({
      action: 'auth.email_otp.failed',
      outcome: 'failure',
      metadata: { method: 'email_otp', reason: 'credentials' },
      organization_id: person.organization_id,
    });
    await verify({ email: 'my-secret-typed-as@example.com', code: '918273' });
    const all = await app.deps.db.selectFrom('audit_events').selectAll().orderBy('id', 'desc').limit(1).execute();
    expect(all).toMatchObject([
      { action: 'auth.email_otp.failed', actor_id: null, organization_id: NIL_UUID, resource_id: NIL_UUID },
    ]);
    expect(JSON.stringify([all, app.logs])).not.toContain('my-secret');
    expect(JSON.stringify([row!.metadata, all.map(({ metadata }) => metadata)])).not.toMatch(/918273|\d{6}/);
  });

  it('one second before the end of its life it is good, and a code works once', async () => {
    const person = await withCode();
    app.clock.advance(599);
    expect((await verify({ email: person.email, code: person.code })).status).toBe(200);
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
  });

  it("a code is good for its own account alone, and not for what was somebody's address when it was sent", async () => {
    const [person, other] = [await withCode(), await withCode()];
    if (person.code !== other.code) expect((await verify({ email: other.email, code: person.code })).status).toBe(401);
    const moved = newEmail('moved');
    await setUser(person.user_id, { email: moved });
    expect((await verify({ email: moved, code: person.code })).status).toBe(401);
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
  });

  it('an account disabled while its code was on the way cannot sign in; enabled again it needs a new code or this one', async () => {
    const person = await withCode();
    await setUser(person.user_id, { status: 'disabled' });
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
    await setUser(person.user_id, { status: 'active' });
    expect((await verify({ email: person.email, code: person.code })).status).toBe(200);
  });

  it('needs no CSRF and looks at no credential', async () => {
    const person = await withCode();
    const answer = await verify({ email: person.email, code: person.code }, { authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(200);
  });

  it('a code made under the secret before this one is still good', async () => {
    const database = await createTestDatabase();
    const before = `${SECRET} of old`;
    const old = await startTestApp({ features, database, environment: { JWT_SECRET: before } });
    const person = await registerPerson(old);
    await createBrowser(old).post('/auth/email-otp/request', { email: person.email });
    const code = await openMailbox(old).takeCode(person.email);
    await old.close();
    const changed = await startTestApp({ features, database, environment: { JWT_SECRET_PREVIOUS: before } });
    const answer = await createBrowser(changed).post('/auth/email-otp/verify', { email: person.email, code });
    expect(answer.status).toBe(200);
    await changed.close();
    await database.close();
  });
});

describe('§3 attempts', () => {
  it('four wrong codes, and the right one is good as the fifth', async () => {
    const person = await withCode();
    for (let index = 1; index <= 4; index++) {
      expect((await verify({ email: person.email, code: another(person.code) })).status).toBe(401);
      expect(await attemptsOf(person.user_id)).toBe(index);
    }
    expect((await verify({ email: person.email, code: person.code })).status).toBe(200);
  });

  it('five wrong ones lock it even for the right one, until a new code is asked for', async () => {
    const person = await withCode();
    for (let index = 0; index < 5; index++) await verify({ email: person.email, code: another(person.code) });
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
    expect(await attemptsOf(person.user_id)).toBe(5);
    await ask(person.email);
    const code = await mailbox.takeCode(person.email);
    expect((await verify({ email: person.email, code })).status).toBe(200);
  });

  it('200 wrong codes at once: five are judged, then the right one is refused', async () => {
    const person = await withCode();
    const guesses = Array.from({ length: 200 }, () => verify({ email: person.email, code: another(person.code) }));
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401]));
    expect(await attemptsOf(person.user_id)).toBe(5);
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
    expect(await countSessions(person.user_id)).toBe(1);
    // Over the limit of a hundred wrong codes nothing is judged any more, and nothing is written.
    expect((await auditOf(person.user_id)).length).toBeLessThanOrEqual(200);
  });

  it('the right code among 200 guesses at once is judged only when it is one of the first five', async () => {
    const person = await withCode();
    const codes = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0 ? another(person.code) : another(another(person.code)),
    );
    codes[150] = person.code;
    const answers = await Promise.all(codes.map((code) => verify({ email: person.email, code })));
    const opened = answers.filter(({ status }) => status === 200).length;
    expect(await countSessions(person.user_id)).toBe(1 + opened);
    expect(opened).toBeLessThanOrEqual(1);
    const judged = await attemptsOf(person.user_id);
    if (judged !== undefined) expect(judged).toBe(5);
  });

  it('50 right codes at once open one session', async () => {
    for (let round = 0; round < 3; round++) {
      const person = await withCode();
      const tries = Array.from({ length: 50 }, () => verify({ email: person.email, code: person.code }));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 401)).toHaveLength(49);
      expect(await countSessions(person.user_id)).toBe(2);
      expect((await auditOf(person.user_id)).filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    }
  });
});

describe('wrong codes are limited for each account, existing or not', () => {
  it('over the limit: the usual 401, also for the right code, which stays unjudged; an hour later it is over', async () => {
    const small = await startTestApp({ features, environment: { LIMIT_EMAIL_CODE: '3/1h' } });
    const post = openMailbox(small);
    const person = await registerPerson(small);
    const send = (code: string) => createBrowser(small).post('/auth/email-otp/verify', { email: person.email, code });
    const request = () => createBrowser(small).post('/auth/email-otp/request', { email: person.email });
    await request();
    const code = await post.takeCode(person.email);
    for (let index = 0; index < 3; index++) expect((await send(another(code))).status).toBe(401);
    const locked = await send(code);
    expect(locked.status).toBe(401);
    expect(locked.headers['retry-after']).toBeUndefined();
    const { attempts } = await small.deps.db
      .selectFrom('one_time_tokens')
      .select('attempts')
      .where('kind', '=', 'login_code')
      .executeTakeFirstOrThrow();
    expect(attempts).toBe(3);
    const reasons = await small.deps.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('action', '=', 'auth.email_otp.failed')
      .orderBy('id')
      .execute();
    expect(reasons.map(({ metadata }) => metadata.reason)).toEqual(Array(3).fill('credentials'));
    small.clock.advance(3601);
    await request();
    expect((await send(await post.takeCode(person.email))).status).toBe(200);
    await small.close();
  });

  it('a right code that meets the last wrong ones on the way counts only while some are left', async () => {
    const small = await startTestApp({ features, environment: { LIMIT_EMAIL_CODE: '4/1h' } });
    const post = openMailbox(small);
    const person = await registerPerson(small);
    await createBrowser(small).post('/auth/email-otp/request', { email: person.email });
    const code = await post.takeCode(person.email);
    const send = (guess: string) =>
      createBrowser(small).post('/auth/email-otp/verify', { email: person.email, code: guess });
    // The token is being signed while four wrong codes come in.
    const { accessTokens } = small.deps;
    const issue = accessTokens.issue;
    accessTokens.issue = async (...given) => {
      for (let index = 0; index < 4; index++) await send(another(code));
      return issue(...given);
    };
    expect((await send(code)).status).toBe(401);
    accessTokens.issue = issue;
    const opened = await small.deps.db.selectFrom('sessions').select('id').execute();
    expect(opened).toHaveLength(1);
    await small.close();
  });
});

describe('with a second factor', () => {
  it('200 mfa_required, no cookie, no session, and the code is used up', async () => {
    const person = await withCode();
    await setUser(person.user_id, { mfa_enabled_at: app.clock.now() });
    const answer = await verify({ email: person.email, code: person.code });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(person.user_id)).toBe(1);
    expect(await auditOf(person.user_id)).toMatchObject([
      { action: 'auth.email_otp.succeeded', metadata: { method: 'email_otp', mfa_pending: true } },
    ]);
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
  });

  it('50 at once yield one mfa_token', async () => {
    const person = await withCode();
    await setUser(person.user_id, { mfa_enabled_at: app.clock.now() });
    const tries = Array.from({ length: 50 }, () => verify({ email: person.email, code: person.code }));
    expect((await Promise.all(tries)).filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('a browser this person trusted skips it and stays at aal1', async () => {
    const person = await withCode();
    await setUser(person.user_id, { mfa_enabled_at: app.clock.now() });
    const now = app.clock.now();
    await app.deps.db
      .insertInto('trusted_browsers')
      .values({
        id: uuid(),
        user_id: person.user_id,
        token_hash: hashToken(`trust-${person.user_id}`),
        name: 'x',
        user_agent: null,
        created_at: now,
        last_used_at: null,
        expires_at: new Date('2040-01-01T00:00:00Z'),
        revoked_at: null,
      })
      .execute();
    const cookie = `service_trust=trust-${person.user_id}`;
    const answer = await verify({ email: person.email, code: person.code }, { cookie });
    expect(answer.json).toMatchObject({ status: 'success', user: { aal: 'aal1', mfa_verified_at: null } });
    expect((await auditOf(person.user_id))[0]!.metadata).toEqual({ method: 'email_otp', trusted_browser: true });
  });
});

describe('a suspended organization', () => {
  it('403 only after the right code, which is used up', async () => {
    const person = await withCode();
    await app.deps.db
      .updateTable('organizations')
      .set({ suspended_at: app.clock.now() })
      .where('id', '=', person.organization_id)
      .execute();
    expect((await verify({ email: person.email, code: another(person.code) })).status).toBe(401);
    const refused = await verify({ email: person.email, code: person.code });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('forbidden');
    expect(refused.set_cookies).toEqual([]);
    expect((await auditOf(person.user_id)).at(-1)).toMatchObject({
      action: 'auth.email_otp.failed',
      outcome: 'failure',
      metadata: { reason: 'organization' },
    });
    expect((await verify({ email: person.email, code: person.code })).status).toBe(401);
  });
});

describe('a right code that meets a change', () => {
  it.each([
    ['of status', { status: 'disabled' }],
    ['of email', { email: newEmail('changed') }],
    ['of second factor', { mfa_enabled_at: new Date('2030-01-01T00:00:00Z') }],
  ])('%s while the session is being prepared opens none', async (_name, changes) => {
    const person = await withCode();
    const { accessTokens } = app.deps;
    const issue = accessTokens.issue;
    accessTokens.issue = async (...given) => {
      await setUser(person.user_id, changes);
      return issue(...given);
    };
    const answer = await verify({ email: person.email, code: person.code });
    accessTokens.issue = issue;
    expect(answer.status).toBe(401);
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(person.user_id)).toBe(1);
  });
});
