import { hash } from '@node-rs/argon2';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, type Person, registerPerson } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const login = (body: unknown, headers: Record<string, string> = {}) =>
  createBrowser(app).post('/auth/login', body, { headers });
const setUser = (id: string, changes: object) =>
  app.deps.db.updateTable('users').set(changes).where('id', '=', id).execute();
const auditOf = (user_id: string) =>
  app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('actor_id', '=', user_id)
    .where('action', '=', 'auth.login')
    .orderBy('id')
    .execute();

/** A further organization this person belongs to. */
async function join(person: Person, joined_at: Date, suspended_at: Date | null = null): Promise<string> {
  const id = uuid();
  await app.deps.db
    .insertInto('organizations')
    .values({ id, name: 'Other', slug: `other-${id}`, created_at: joined_at, suspended_at })
    .execute();
  await app.deps.db
    .insertInto('memberships')
    .values({ organization_id: id, user_id: person.user_id, role: 'member', joined_at, revoked_at: null })
    .execute();
  return id;
}

describe('POST /auth/login', () => {
  it('200 with the LoginResponse, cookies, last_login_at and one audit row', async () => {
    const person = await registerPerson(app);
    const answer = await login({ email: ` ${person.email.toUpperCase()}`, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      expires_in: 900,
      user: { user_id: person.user_id, aal: 'aal1' },
    });
    expect(answer.json.user.session_family_id).not.toBe(person.session_id);
    expect(answer.set_cookies).toHaveLength(3);
    expect(await auditOf(person.user_id)).toMatchObject([
      { outcome: 'success', metadata: { method: 'password' }, organization_id: person.organization_id },
    ]);
    const row = await app.deps.db
      .selectFrom('users')
      .select('last_login_at')
      .where('id', '=', person.user_id)
      .executeTakeFirstOrThrow();
    expect(row.last_login_at).toEqual(app.clock.now());
  });

  it('§5.10, §5.11: unknown, wrong, disabled, deleted and password-less answer alike, to the byte, and leave as many rows', async () => {
    const [wrong, disabled, deleted, without] = await Promise.all([1, 2, 3, 4].map(() => registerPerson(app)));
    await setUser(disabled!.user_id, { status: 'disabled' });
    await setUser(deleted!.user_id, { status: 'deleted' });
    await setUser(without!.user_id, { password_hash: null });
    const cases = [
      { email: newEmail(), password: PASSWORD },
      { email: wrong!.email, password: `${PASSWORD}?` },
      { email: disabled!.email, password: PASSWORD },
      { email: deleted!.email, password: PASSWORD },
      { email: without!.email, password: PASSWORD },
    ];
    const seen = [];
    for (const body of cases) {
      const before = await totals();
      const { status, text, headers } = await login(body, { 'x-request-id': '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0001' });
      const after = await totals();
      const { date, ...kept } = headers;
      seen.push({ status, text, kept, rows: after.map((count, index) => count - before[index]!) });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ status: 401, rows: [1, 2, 0] });
    expect(JSON.parse(seen[0]!.text).error.code).toBe('authentication_required');
  });

  const totals = async () => {
    const count = async (table: 'audit_events' | 'rate_counters' | 'sessions') =>
      Number(
        (
          await app.deps.db
            .selectFrom(table)
            .select((eb) => eb.fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      );
    return [await count('audit_events'), await count('rate_counters'), await count('sessions')];
  };

  it('every one of them costs one real verification', async () => {
    const person = await registerPerson(app);
    await setUser(person.user_id, { password_hash: null });
    const verified: (string | null)[] = [];
    const { passwords } = app.deps;
    const verify = passwords.verify;
    passwords.verify = (stored, password) => {
      verified.push(stored);
      return verify(stored, password);
    };
    await login({ email: newEmail(), password: PASSWORD });
    await login({ email: person.email, password: PASSWORD });
    passwords.verify = verify;
    expect(verified).toEqual([null, null]);
  });

  it('what was typed for an unknown account is written nowhere', async () => {
    const typed = 'my-secret-typed-as@example.com';
    await login({ email: typed, password: 'hunter2hunter2hunter2' });
    const rows = await app.deps.db.selectFrom('audit_events').selectAll().where('action', '=', 'auth.login').execute();
    const logged = JSON.stringify([rows, app.logs]);
    expect(logged).not.toContain('my-secret');
    expect(logged).not.toContain('hunter2');
  });

  it.each([
    [{ password: PASSWORD }, 'email: is required'],
    [{ email: 'x', password: PASSWORD }, 'email: must be an email address'],
    [{ email: 'a@example.com' }, 'password: is required'],
    [{ email: 'a@example.com', password: '' }, 'password: must be 1 to 256 characters'],
    [{ email: 'a@example.com', password: '\udfff' }, 'password: must not contain broken Unicode'],
    [{ email: 'a@example.com', password: 'x', organization_id: 'x' }, 'organization_id: must be a UUID'],
    [[], 'body: must be a JSON object'],
    ['{', 'body: must be valid JSON'],
  ])('400 %j', async (body, message) => {
    const answer = await login(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe(message);
  });

  it('a weaker hash is replaced at the next good sign-in', async () => {
    const person = await registerPerson(app);
    await setUser(person.user_id, { password_hash: await hash(PASSWORD, { memoryCost: 4096, timeCost: 1 }) });
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
    const row = await app.deps.db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', person.user_id)
      .executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/m=19456,t=2,p=1/);
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
  });
});

describe('which organization', () => {
  it('the one named, else the last used, else the oldest membership', async () => {
    const person = await registerPerson(app);
    const second = await join(person, new Date('2030-02-01T00:00:00Z'));
    const oldest = await join(person, new Date('2020-01-01T00:00:00Z'));
    const land = async (organization_id?: string) => {
      const answer = await login({
        email: person.email,
        password: PASSWORD,
        ...(organization_id && { organization_id }),
      });
      return answer.json.user.organization_id;
    };
    expect(await land()).toBe(person.organization_id);
    expect(await land(second.toUpperCase())).toBe(second);
    expect(await land()).toBe(second);
    await setUser(person.user_id, { last_organization_id: null });
    expect(await land()).toBe(oldest);
  });

  it('403 for one that is not theirs or is suspended, only after the right password; otherwise they land elsewhere', async () => {
    const person = await registerPerson(app);
    const stranger = await registerPerson(app);
    const suspended = await join(person, new Date('2020-01-01T00:00:00Z'), new Date('2021-01-01T00:00:00Z'));
    for (const organization_id of [stranger.organization_id, suspended, uuid()]) {
      const refused = await login({ email: person.email, password: PASSWORD, organization_id });
      expect(refused.status).toBe(403);
      expect(refused.json.error.code).toBe('forbidden');
      expect(refused.set_cookies).toEqual([]);
      expect((await login({ email: person.email, password: 'wrong', organization_id })).status).toBe(401);
    }
    await setUser(person.user_id, { last_organization_id: suspended });
    expect((await login({ email: person.email, password: PASSWORD })).json.user.organization_id).toBe(
      person.organization_id,
    );
    await app.deps.db
      .updateTable('organizations')
      .set({ suspended_at: new Date() })
      .where('id', '=', person.organization_id)
      .execute();
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(403);
    const last = (await auditOf(person.user_id)).at(-1);
    expect(last).toMatchObject({ outcome: 'failure', metadata: { reason: 'organization' } });
  });

  it('a removed member has no seat', async () => {
    const person = await registerPerson(app);
    await app.deps.db
      .updateTable('memberships')
      .set({ revoked_at: new Date() })
      .where('user_id', '=', person.user_id)
      .execute();
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(403);
    expect((await person.browser.get('/auth/session')).status).toBe(401);
  });
});

describe('with a second factor', () => {
  it('200 mfa_required: a token for the challenge, no cookie, no user, no session; audited as success with MFA pending', async () => {
    const person = await registerPerson(app);
    await setUser(person.user_id, { mfa_enabled_at: new Date() });
    const answer = await login({ email: person.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
    expect(answer.set_cookies).toEqual([]);
    expect((await auditOf(person.user_id)).at(-1)).toMatchObject({
      outcome: 'success',
      metadata: { method: 'password', mfa_pending: true },
    });
    const sessions = await app.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', person.user_id)
      .execute();
    expect(sessions).toHaveLength(1);
    const headers = { authorization: `Bearer ${answer.json.mfa_token}` };
    expect((await createBrowser(app).get('/auth/session', { headers })).status).toBe(401);
  });

  it('a browser this person trusted is let in at aal1; a stranger’s, an expired or a revoked one is not', async () => {
    const [person, stranger] = [await registerPerson(app), await registerPerson(app)];
    for (const { user_id } of [person, stranger]) await setUser(user_id, { mfa_enabled_at: new Date() });
    const trust = async (user_id: string, changes: object = {}) => {
      const token = `trust-${uuid()}`;
      const { hashToken } = await import('../../platform/crypto/tokens.ts');
      const now = app.clock.now();
      await app.deps.db
        .insertInto('trusted_browsers')
        .values({
          id: uuid(),
          user_id,
          token_hash: hashToken(token),
          name: 'x',
          user_agent: null,
          created_at: now,
          expires_at: new Date('2031-01-01T00:00:00Z'),
          ...changes,
        })
        .execute();
      return { cookie: `service_trust=${token}` };
    };
    const signIn = (headers: Record<string, string>) => login({ email: person.email, password: PASSWORD }, headers);
    const trusted = await signIn(await trust(person.user_id));
    expect(trusted.json).toMatchObject({ status: 'success', user: { aal: 'aal1', mfa_verified_at: null } });
    expect((await auditOf(person.user_id)).at(-1)!.metadata).toEqual({ method: 'password', trusted_browser: true });
    for (const headers of [
      await trust(stranger.user_id),
      await trust(person.user_id, { expires_at: new Date('2029-01-01T00:00:00Z') }),
      await trust(person.user_id, { revoked_at: new Date('2029-01-01T00:00:00Z') }),
      { cookie: 'service_trust=none' },
    ]) {
      expect((await signIn(headers)).json.status).toBe('mfa_required');
    }
  });
});

describe('wrong passwords are limited', () => {
  it('20 per address and account in 15 minutes, existing or not: then 429 also for the right one, and again free later', async () => {
    const person = await registerPerson(app);
    for (const email of [person.email, newEmail()]) {
      for (let index = 0; index < 20; index++) expect((await login({ email, password: 'wrong' })).status).toBe(401);
      const locked = await login({ email, password: PASSWORD });
      expect(locked.status).toBe(429);
      expect(locked.json.error.code).toBe('rate_limited');
      expect(Number(locked.headers['retry-after'])).toBe(900);
    }
    app.clock.advance(901);
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
  });

  it('good sign-ins have no limit and take nothing from it', async () => {
    const person = await registerPerson(app);
    for (let index = 0; index < 25; index++) {
      expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
    }
  });

  it('200 guesses at once: no more are told than may be, and the right one among the late ones does not pass', async () => {
    const person = await registerPerson(app);
    const wrong = Array.from({ length: 60 }, () => login({ email: person.email, password: 'wrong' }));
    const right = Array.from({ length: 20 }, () => login({ email: person.email, password: PASSWORD }));
    const judged = (await Promise.all(wrong)).filter(({ status }) => status === 401);
    expect(judged).toHaveLength(20);
    await Promise.all(right);
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(429);
  }, 30_000);
});

describe('wrong passwords from many addresses', () => {
  it('200 in an hour for one account, then 429 from everywhere; other accounts are not touched', async () => {
    const small = await startTestApp({ environment: { TRUST_PROXY: '127.0.0.1', LIMIT_PASSWORD_PER_ACCOUNT: '6/1h' } });
    try {
      const [person, other] = [await registerPerson(small), await registerPerson(small)];
      const from = (address: number, email: string, password: string) =>
        createBrowser(small).post(
          '/auth/login',
          { email, password },
          { headers: { 'x-forwarded-for': `192.0.2.${address}` } },
        );
      for (let address = 1; address <= 6; address++) {
        expect((await from(address, person.email, 'wrong')).status).toBe(401);
      }
      expect((await from(7, person.email, PASSWORD)).status).toBe(429);
      expect((await from(7, other.email, PASSWORD)).status).toBe(200);
      expect(small.deps.config.LIMIT_PASSWORD_PER_ADDRESS).toEqual({ count: 20, window: 900 });
    } finally {
      await small.close();
    }
    expect(app.deps.config.LIMIT_PASSWORD_PER_ACCOUNT).toEqual({ count: 200, window: 3600 });
  });

  it('a /64 is one address, another spelling of the email one account', async () => {
    const small = await startTestApp({
      environment: { TRUST_PROXY: '127.0.0.1', LIMIT_PASSWORD_PER_ADDRESS: '2/15m' },
    });
    try {
      const { email } = await registerPerson(small);
      const from = (address: string, typed: string) =>
        createBrowser(small).post(
          '/auth/login',
          { email: typed, password: 'wrong' },
          { headers: { 'x-forwarded-for': address } },
        );
      expect((await from('2001:db8:1:2::1', email)).status).toBe(401);
      expect((await from('2001:db8:1:2:ffff::9', ` ${email.toUpperCase()}`)).status).toBe(401);
      expect((await from('2001:db8:1:2::3', email)).status).toBe(429);
      expect((await from('2001:db8:1:3::1', email)).status).toBe(401);
    } finally {
      await small.close();
    }
  });
});

describe('a sign-in that meets a change', () => {
  it('while a second factor is on: no token for the challenge either, and the trail says why', async () => {
    for (const change of [{ password_hash: '$argon2id$other' }, { status: 'disabled' as const }]) {
      const person = await registerPerson(app);
      await setUser(person.user_id, { mfa_enabled_at: new Date() });
      const { passwords } = app.deps;
      const verify = passwords.verify;
      passwords.verify = async (stored, password) => {
        const matches = await verify(stored, password);
        await setUser(person.user_id, change);
        return matches;
      };
      const answer = await login({ email: person.email, password: PASSWORD });
      passwords.verify = verify;
      expect(answer.status, JSON.stringify(change)).toBe(401);
      const rows = await auditOf(person.user_id);
      expect(rows).toMatchObject([{ outcome: 'failure', metadata: { method: 'password', reason: 'superseded' } }]);
    }
  });

  it('of the password or the status while it was being judged opens no session', async () => {
    const changes = [
      { password_hash: '$argon2id$other' },
      { status: 'disabled' as const },
      { mfa_enabled_at: new Date() },
    ];
    for (const change of changes) {
      const person = await registerPerson(app);
      const { passwords } = app.deps;
      const verify = passwords.verify;
      passwords.verify = async (stored, password) => {
        const matches = await verify(stored, password);
        await setUser(person.user_id, change);
        return matches;
      };
      const answer = await login({ email: person.email, password: PASSWORD });
      passwords.verify = verify;
      expect(answer.status, JSON.stringify(change)).toBe(401);
      expect(answer.set_cookies).toEqual([]);
      const sessions = await app.deps.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', person.user_id)
        .execute();
      expect(sessions).toHaveLength(1);
    }
  });
});
