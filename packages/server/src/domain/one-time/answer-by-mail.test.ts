import { NIL_UUID } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { atOnce, createBrowser, newEmail, registerUser, tally } from '../../../test/browser.ts';
import { insertSession, startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, oneTimeTokensOf, recorded, setUser } from '../../../test/records.ts';

const app = useTestApp();

const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0001';
const TABLES = ['audit_events', 'mails', 'one_time_tokens', 'rate_counters', 'sessions', 'bus_events'] as const;
const NO_ROWS = Object.fromEntries(TABLES.map((table) => [table, 0]));

const ENDPOINTS = [
  { section: '§4.4', path: '/auth/email-otp/request', action: 'auth.email_otp.requested' },
  { section: '§4.6', path: '/auth/password/forgot', action: 'auth.password_reset.requested' },
] as const;

describe.each(ENDPOINTS)('$section POST $path', ({ path, action }) => {
  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    createBrowser(app).post(path, body, { headers: { 'x-request-id': REQUEST_ID, ...headers } });

  it('a request for an active account is 204, and a mail is sent', async () => {
    const user = await registerUser(app);
    await app.mailbox.take(user.email);
    const answer = await ask({ email: `  ${user.email.toUpperCase()} ` });
    expect(answer).toMatchObject({ status: 204, text: '', set_cookies: [] });
    expect(await app.mailbox.take(user.email)).toHaveLength(1);
  });

  it('known, unknown, disabled and deleted accounts get the same response by the same statements, with as many rows per table', async () => {
    const [known, disabled, deleted] = await Promise.all([1, 2, 3].map(() => registerUser(app)));
    await setUser(app, disabled!.user_id, { status: 'disabled' });
    await setUser(app, deleted!.user_id, { status: 'deleted' });
    await app.mailbox.settle();
    const seen = [];
    for (const email of [known!.email, newEmail('unknown'), disabled!.email, deleted!.email]) {
      for (const time of ['first', 'second']) {
        const { result, rows } = await countingRows(app, TABLES, async () => {
          const asked = await recorded(app, () => ask({ email }));
          await app.mailbox.settle();
          return asked;
        });
        const { result: answer, statements } = result;
        seen.push({ time, answer: { ...answer, headers: { ...answer.headers, date: '' } }, statements, rows });
      }
    }
    const [first, second] = seen;
    for (const one of seen) expect(one).toEqual(one.time === 'first' ? first : second);
    expect(second!.answer).toEqual(first!.answer);
    expect(first).toMatchObject({
      answer: { status: 204 },
      rows: { audit_events: 1, mails: 1, one_time_tokens: 1, sessions: 0 },
    });
    expect(second).toMatchObject({ rows: { audit_events: 1, mails: 1, one_time_tokens: 0 } });
    expect(first!.statements).toHaveLength(4);
    expect((await app.mailbox.take(known!.email)).length).toBe(3);
    for (const email of [disabled!.email, deleted!.email]) expect((await app.mailbox.take(email)).length).toBe(1);
  });

  it('queues the same number of bytes, in the same final state, for known and unknown email addresses', async () => {
    const known = await registerUser(app);
    const unknown = known.email.replace('person', 'nobody');
    const rows = [];
    for (const email of [known.email, unknown]) {
      app.clock.advance(1);
      const created_at = app.clock.now();
      const of = () => app.deps.db.selectFrom('mails').selectAll().where('created_at', '=', created_at);
      const { mail } = app.deps;
      const wake = mail.wake;
      (mail as { wake: () => void }).wake = () => {};
      await ask({ email });
      const { template, locale, sealed } = await of().executeTakeFirstOrThrow();
      (mail as { wake: () => void }).wake = wake;
      await app.mailbox.settle();
      const done = await of().executeTakeFirstOrThrow();
      rows.push({
        template,
        locale,
        length: sealed?.length,
        state: done.state,
        left: done.sealed,
        tries: done.attempts,
      });
    }
    expect(rows[1]).toEqual(rows[0]);
    expect(rows[0]).toMatchObject({ state: 'sent', left: null, tries: 1 });
    expect(await app.mailbox.take(unknown)).toEqual([]);
  });

  it('a request for a known account is audited with account and organization, one for an unknown email without the email', async () => {
    const user = await registerUser(app);
    const typed = 'my-secret-typed-as@example.com';
    await ask({ email: user.email });
    await ask({ email: typed });
    const rows = (await auditOf(app, { action })).slice(-2).reverse();
    expect(rows).toMatchObject([
      { outcome: 'failure', actor_id: null, organization_id: NIL_UUID, resource_id: NIL_UUID, metadata: {} },
      {
        outcome: 'success',
        actor_type: 'anonymous',
        actor_id: null,
        organization_id: user.organization_id,
        resource_id: user.user_id,
        resource_type: 'user',
        request_id: REQUEST_ID,
        metadata: {},
      },
    ]);
    await app.mailbox.settle();
    const tokens = await app.deps.db.selectFrom('one_time_tokens').selectAll().execute();
    const mails = await app.deps.db.selectFrom('mails').selectAll().execute();
    expect(JSON.stringify([rows, tokens, mails, app.logs])).not.toContain('my-secret');
  });

  it.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['invalid JSON', '{'],
    ['null', 'null'],
    ['a number', '42'],
    ['a string', '"ada@example.com"'],
    ['an array', '["ada@example.com"]'],
    ['no email', '{}'],
    ['an invalid email', '{"email":"ada"}'],
    ['a number as email', '{"email":1}'],
    ['an array as email', '{"email":["ada@example.com"]}'],
    ['an object as email', '{"email":{"$ne":null}}'],
    ['NUL', '{"email":"ada\\u0000@example.com"}'],
    ['a lone surrogate', '{"email":"ada\\ud800@example.com"}'],
    ['a line break', '{"email":"ada@example.com\\r\\nBcc: eve@example.com"}'],
    ['a prototype', '{"__proto__":{"email":"ada@example.com"},"constructor":1}'],
    ['255 characters', `{"email":"${'a'.repeat(64)}@${'b'.repeat(186)}.com"}`],
    ['2 MiB', `{"email":"ada@example.com","x":"${'x'.repeat(2 * 1024 * 1024)}"}`],
  ])('204 for a request with %s, and nothing is written', async (_name, body) => {
    const { result, rows } = await countingRows(app, TABLES, () => ask(body));
    expect(result).toMatchObject({ status: 204, text: '' });
    expect(rows).toEqual(NO_ROWS);
  });

  it('204 for bytes that are not valid text', async () => {
    const headers = { 'content-type': 'application/json' };
    const payload = Buffer.from('{"email":"ad\xe4@example.com"}', 'latin1');
    const answer = await app.server.inject({ method: 'POST', url: `/v1${path}`, headers, payload });
    expect(answer.statusCode).toBe(204);
  });

  it.each(['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded', ';;;', 'application/json; x'])(
    '204 for a body declared as %s',
    async (type) => {
      expect((await ask(JSON.stringify({ email: newEmail() }), { 'content-type': type })).status).toBe(204);
    },
  );

  it('the request needs no CSRF header and ignores credentials', async () => {
    const user = await registerUser(app);
    expect((await user.browser.post(path, { email: user.email }, { csrf: false })).status).toBe(204);
    expect((await ask({ email: user.email }, { authorization: 'Bearer nonsense' })).status).toBe(204);
  });

  it('mails have a limit for each email address, existing or not; over the limit 204, without mail or audit row', async () => {
    const user = await registerUser(app);
    await app.mailbox.take(user.email);
    for (const email of [user.email, newEmail('unknown')]) {
      const { rows } = await countingRows(app, TABLES, async () => {
        for (let index = 0; index < 12; index++) expect((await ask({ email })).status).toBe(204);
      });
      expect(rows).toMatchObject({ audit_events: 10, mails: 10, one_time_tokens: 1 });
    }
    await app.mailbox.take(user.email);
    app.clock.advance(601);
    await ask({ email: user.email });
    expect(await app.mailbox.take(user.email)).toHaveLength(1);
  });

  it('20 concurrent requests for one email queue ten mails and leave one valid token', async () => {
    const user = await registerUser(app);
    const { result, rows } = await countingRows(app, TABLES, () => atOnce(20, () => ask({ email: user.email })));
    expect(tally(result)).toEqual({ 204: 20 });
    expect(rows).toMatchObject({ mails: 10, one_time_tokens: 1 });
    const kind = path.includes('otp') ? 'login_code' : 'password_reset';
    expect(await oneTimeTokensOf(app, user.user_id, kind)).toHaveLength(1);
  });

  it('the mail uses the locale of the account, or DEFAULT_LOCALE', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { locale: 'de-CH' });
    await app.mailbox.take(user.email);
    await ask({ email: user.email });
    expect((await app.mailbox.take(user.email))[0]!.html).toContain('<html lang="de">');
  });

  it('500 if a table is missing, for known and unknown email addresses', async () => {
    const broken = await startTestApp();
    const known = await insertSession(broken);
    await broken.database.db.schema.alterTable('one_time_tokens').renameTo('gone').execute();
    for (const email of [known.email, newEmail()]) {
      const answer = await createBrowser(broken).post(path, { email });
      expect(answer.status).toBe(500);
      expect(answer.json.error.code).toBe('internal_error');
    }
    await broken.close();
  });
});

describe('login codes and reset links', () => {
  it('share the limit for an email address', async () => {
    const user = await registerUser(app);
    const { rows } = await countingRows(app, TABLES, async () => {
      for (let index = 0; index < 6; index++) {
        for (const { path } of ENDPOINTS) await createBrowser(app).post(path, { email: user.email });
      }
    });
    expect(rows).toMatchObject({ mails: 10, one_time_tokens: 2 });
  });

  it('have a limit for each network, beyond which nothing is sent to any email address', async () => {
    // The five registrations count too.
    const small = await startTestApp({ environment: { LIMIT_MAIL_PER_ADDRESS: '8/1h' } });
    const users = await Promise.all(Array.from({ length: 5 }, () => registerUser(small)));
    for (const { email } of users) {
      await small.mailbox.take(email);
      expect((await createBrowser(small).post('/auth/password/forgot', { email })).status).toBe(204);
    }
    const received = await Promise.all(users.map(({ email }) => small.mailbox.take(email)));
    expect(received.map((mails) => mails.length)).toEqual([1, 1, 1, 0, 0]);
    await small.close();
  });
});

describe('in production without a mail transport', () => {
  it('500 to every input, before anything is looked up', async () => {
    const environment = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com' };
    const production = await startTestApp({ environment });
    const user = await registerUser(production);
    const browser = createBrowser(production);
    const counters = () => production.deps.db.selectFrom('rate_counters').selectAll().execute();
    const before = await counters();
    for (const { path } of ENDPOINTS) {
      for (const body of [{ email: user.email }, { email: newEmail() }, { email: 'x' }, '{', '[]', undefined]) {
        const answer = await browser.post(path, body, { headers: { 'x-request-id': REQUEST_ID } });
        expect(answer.status).toBe(500);
        expect(answer.json).toEqual({
          error: { code: 'internal_error', message: expect.any(String), type: 'internal_error' },
        });
      }
    }
    expect(await counters()).toEqual(before);
    expect(await production.deps.db.selectFrom('one_time_tokens').select('kind').execute()).toEqual([
      { kind: 'email_verification' },
    ]);
    await production.close();
  });
});
