import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  countingRows,
  countSessions,
  endMemberships,
  findUser,
  join,
  liveSessions,
  revocationsOf,
  setUser,
  suspendOrganization,
  trustBrowser,
} from '../../../test/records.ts';

const app = useTestApp({ environment: { LIMIT_PASSWORD_PER_ADDRESS: '8/15m' } });

const login = (body: unknown, headers: Record<string, string> = {}) =>
  createBrowser(app).post('/auth/login', body, { headers });
const loginsOf = (user_id: string) => auditOf(app, { resource_id: user_id, action: 'auth.login' });

describe('POST /auth/login', () => {
  it('200 with the LoginResponse, cookies, last_login_at and one audit row', async () => {
    const account = await registerUser(app);
    const answer = await login({ email: ` ${account.email.toUpperCase()}`, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      expires_in: 900,
      user: { user_id: account.user_id, aal: 'aal1' },
    });
    expect(answer.json.user.session_family_id).not.toBe(account.session_id);
    expect(answer.set_cookies).toHaveLength(3);
    expect(await loginsOf(account.user_id)).toMatchObject([
      { outcome: 'success', metadata: { method: 'password' }, organization_id: account.organization_id },
    ]);
    expect((await findUser(app, account.user_id)).last_login_at).toEqual(app.clock.now());
  });

  it('§5.10, §5.11: a wrong password and an unknown, disabled, deleted or password-less account get the same response and write as many rows', async () => {
    const [wrong, disabled, deleted, without] = await Promise.all([1, 2, 3, 4].map(() => registerUser(app)));
    await setUser(app, disabled!.user_id, { status: 'disabled' });
    await setUser(app, deleted!.user_id, { status: 'deleted' });
    await setUser(app, without!.user_id, { password_hash: null });
    const cases = [
      { email: newEmail(), password: PASSWORD },
      { email: wrong!.email, password: `${PASSWORD}?` },
      { email: disabled!.email, password: PASSWORD },
      { email: deleted!.email, password: PASSWORD },
      { email: without!.email, password: PASSWORD },
    ];
    const seen = [];
    for (const body of cases) {
      const { result, rows } = await countingRows(app, ['audit_events', 'rate_counters', 'sessions'], () =>
        login(body, { 'x-request-id': '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0001' }),
      );
      const { date, ...headers } = result.headers;
      seen.push({ status: result.status, text: result.text, headers, rows });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ status: 401, rows: { audit_events: 1, rate_counters: 2, sessions: 0 } });
    expect(JSON.parse(seen[0]!.text).error.code).toBe('authentication_required');
  });

  it('every failed sign-in costs one real password verification, whatever the reason', async () => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { password_hash: null });
    const disabled = await registerUser(app);
    await setUser(app, disabled.user_id, { status: 'disabled' });
    const verified: unknown[] = [];
    const { passwords } = app.deps;
    const verify = passwords.verify;
    passwords.verify = async (guess) => {
      const right = await verify(guess);
      verified.push([guess.stored === null, guess.in_vain, right]);
      return right;
    };
    for (const email of [newEmail(), account.email, disabled.email]) await login({ email, password: PASSWORD });
    passwords.verify = verify;
    expect(verified).toEqual([
      [true, true, false],
      [true, false, false],
      // The right password of a disabled account must take as long as a wrong one.
      [false, true, false],
    ]);
  });

  it('the password for an unknown account is stored nowhere', async () => {
    const typed = 'my-secret-typed-as@example.com';
    await login({ email: typed, password: 'hunter2hunter2hunter2' });
    const logged = JSON.stringify([await auditOf(app, { action: 'auth.login' }), app.logs]);
    expect(logged).not.toContain('my-secret');
    expect(logged).not.toContain('hunter2');
  });

  it.each([
    [{ password: PASSWORD }, 'email: is required'],
    [{ email: 'x', password: PASSWORD }, 'email: must be an email address'],
    [{ email: 'a@example.com' }, 'password: is required'],
    [{ email: 'a@example.com', password: '' }, 'password: must not be empty'],
    [{ email: 'a@example.com', password: '\udfff' }, 'password: must not contain invalid Unicode'],
    [{ email: 'a@example.com', password: 'x', organization_id: 'x' }, 'organization_id: must be a UUID'],
    [[], 'body: must be a JSON object'],
    ['{', 'body: must be valid JSON'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await login(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe(message);
  });

  it('expired sessions do not count towards the maximum of a thousand', async () => {
    const account = await registerUser(app);
    await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
        expires_at, access_expires_at)
      select ('01ffffff-ea00-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, user_id, organization_id, auth_method, aal,
        auth_time, created_at, last_used_at, ${app.clock.now()}, access_expires_at
      from sessions, generate_series(1, 1200) n where id = ${account.session_id}`.execute(app.deps.db);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(200);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
  });

  it('the oldest of a thousand sessions can still switch to another organization', async () => {
    const account = await registerUser(app);
    await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
        expires_at, access_expires_at)
      select ('01ffffff-eb00-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, user_id, organization_id, auth_method, aal,
        auth_time, created_at, last_used_at, expires_at, access_expires_at
      from sessions, generate_series(1, 999) n where id = ${account.session_id}`.execute(app.deps.db);
    const organization_id = await join(app, account.user_id);
    expect((await account.browser.post('/auth/organization', { organization_id })).status).toBe(200);
  });

  it('with more than a thousand sessions the oldest is revoked, at this replica, in the feed and at other replicas', async () => {
    const account = await registerUser(app);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
        expires_at, access_expires_at)
      select ('01b92571-ea00-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, user_id, organization_id, auth_method, aal,
        auth_time, created_at, last_used_at, expires_at, access_expires_at
      from sessions, generate_series(1, 999) n where id = ${account.session_id}`.execute(app.deps.db);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(200);
    expect((await account.browser.get('/auth/session')).status).toBe(401);
    expect(await liveSessions(app, account.user_id)).toHaveLength(1000);
    expect(await revocationsOf(app, account.session_id)).toHaveLength(1);
    const announced = app.deps.db.selectFrom('bus_events').select('id').where('key', '=', account.session_id);
    expect(await announced.execute()).toHaveLength(1);
    const auditRows = await auditOf(app, { resource_id: account.session_id, action: 'auth.session.revoked' });
    expect(auditRows).toMatchObject([
      {
        actor_type: 'user',
        actor_id: account.user_id,
        organization_id: account.organization_id,
        resource_type: 'session',
        event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        metadata: { reason: 'limit', count: 1 },
      },
    ]);
    const browser = createBrowser(app);
    await browser.post('/auth/login', { email: account.email, password: PASSWORD });
    expect((await browser.get('/auth/sessions')).json.items).toHaveLength(1000);
  });
});

describe('more than a thousand sessions', () => {
  it('a sign-in writes one auth.session.revoked for each session that it ends, if there are more than a thousand', async () => {
    const account = await registerUser(app);
    await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
        expires_at, access_expires_at)
      select ('01b92571-eb00-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, user_id, organization_id, auth_method, aal,
        auth_time, created_at, last_used_at, expires_at, access_expires_at
      from sessions, generate_series(1, 1015) n where id = ${account.session_id}`.execute(app.deps.db);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(200);
    const ended = await app.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', account.user_id)
      .where('revoked_at', 'is not', null)
      .execute();
    const auditRows = await auditOf(app, { actor_id: account.user_id, action: 'auth.session.revoked' });
    expect(ended.length).toBeGreaterThan(1);
    expect(auditRows.map(({ resource_id }) => resource_id).sort()).toEqual(ended.map(({ id }) => id).sort());
    expect(new Set(auditRows.map(({ event_id }) => event_id)).size).toBe(auditRows.length);
  });
});

describe('the organization of a sign-in', () => {
  it('is the one named, else the last used, else the oldest membership', async () => {
    const account = await registerUser(app);
    const second = await join(app, account.user_id, { joined_at: new Date('2030-02-01T00:00:00Z') });
    const oldest = await join(app, account.user_id, { joined_at: new Date('2020-01-01T00:00:00Z') });
    const sessionOrganization = async (organization_id?: string) => {
      const answer = await login({
        email: account.email,
        password: PASSWORD,
        ...(organization_id && { organization_id }),
      });
      return answer.json.user.organization_id;
    };
    expect(await sessionOrganization()).toBe(account.organization_id);
    expect(await sessionOrganization(second.toUpperCase())).toBe(second);
    expect(await sessionOrganization()).toBe(second);
    await setUser(app, account.user_id, { last_organization_id: null });
    expect(await sessionOrganization()).toBe(oldest);
  });

  it('403 if the named organization is suspended or without membership, after the right password; if none is named, another is used', async () => {
    const account = await registerUser(app);
    const outsider = await registerUser(app);
    const suspended = await join(app, account.user_id, {
      joined_at: new Date('2020-01-01T00:00:00Z'),
      suspended_at: new Date('2021-01-01T00:00:00Z'),
    });
    for (const organization_id of [outsider.organization_id, suspended, uuid()]) {
      const refused = await login({ email: account.email, password: PASSWORD, organization_id });
      expect(refused.status).toBe(403);
      expect(refused.json.error.code).toBe('forbidden');
      expect(refused.set_cookies).toEqual([]);
      expect((await login({ email: account.email, password: 'wrong', organization_id })).status).toBe(401);
    }
    await setUser(app, account.user_id, { last_organization_id: suspended });
    expect((await login({ email: account.email, password: PASSWORD })).json.user.organization_id).toBe(
      account.organization_id,
    );
    await suspendOrganization(app, account.organization_id);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(403);
    const last = (await loginsOf(account.user_id)).at(-1);
    expect(last).toMatchObject({ outcome: 'failure', metadata: { reason: 'organization' } });
  });

  it('a sign-in is 403 after the only membership has ended', async () => {
    const account = await registerUser(app);
    await endMemberships(app, account.user_id);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(403);
    expect((await account.browser.get('/auth/session')).status).toBe(401);
  });
});

describe('with a second factor', () => {
  it('200 mfa_required: an mfa_token, no cookie, no user, no session; audited as success with MFA pending', async () => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { mfa_enabled_at: new Date() });
    const answer = await login({ email: account.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
    expect(answer.set_cookies).toEqual([]);
    expect((await loginsOf(account.user_id)).at(-1)).toMatchObject({
      outcome: 'success',
      metadata: { method: 'password', mfa_pending: true },
    });
    expect(await countSessions(app, account.user_id)).toBe(1);
    expect((await createBrowser(app).get('/auth/session', bearer(answer.json.mfa_token))).status).toBe(401);
  });

  it('a trusted browser signs in at aal1; one of another user, an expired or a revoked one does not', async () => {
    const [account, outsider] = [await registerUser(app), await registerUser(app)];
    for (const { user_id } of [account, outsider]) await setUser(app, user_id, { mfa_enabled_at: new Date() });
    const signIn = (cookie: string) => login({ email: account.email, password: PASSWORD }, { cookie });
    const trusted = await signIn(await trustBrowser(app, account.user_id));
    expect(trusted.json).toMatchObject({ status: 'success', user: { aal: 'aal1', mfa_verified_at: null } });
    expect((await loginsOf(account.user_id)).at(-1)!.metadata).toEqual({ method: 'password', trusted_browser: true });
    const past = new Date('2029-01-01T00:00:00Z');
    for (const cookie of [
      await trustBrowser(app, outsider.user_id),
      await trustBrowser(app, account.user_id, { expires_at: past }),
      await trustBrowser(app, account.user_id, { revoked_at: past }),
      'service_trust=none',
    ]) {
      expect((await signIn(cookie)).json.status).toBe('mfa_required');
    }
  });
});

describe('wrong passwords are limited', () => {
  it('above the limit of wrong passwords from one client address for one account, existing or not, even the right one gets 429 for 15 minutes', async () => {
    const account = await registerUser(app);
    for (const email of [account.email, newEmail()]) {
      for (let index = 0; index < 8; index++) expect((await login({ email, password: 'wrong' })).status).toBe(401);
      const locked = await login({ email, password: PASSWORD });
      expect(locked.status).toBe(429);
      expect(locked.json.error.code).toBe('rate_limited');
      expect(Number(locked.headers['retry-after'])).toBe(900);
    }
    app.clock.advance(901);
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(200);
  });

  it('successful sign-ins are neither limited nor counted', async () => {
    const account = await registerUser(app);
    for (let index = 0; index < 10; index++) {
      expect((await login({ email: account.email, password: PASSWORD })).status).toBe(200);
    }
  });

  it('of 20 concurrent guesses only as many as allowed are checked, and the right password after them is rejected', async () => {
    const account = await registerUser(app);
    const guess = (password: string) => () => login({ email: account.email, password });
    const [wrong, right] = await Promise.all([atOnce(20, guess('wrong')), atOnce(5, guess(PASSWORD))]);
    expect(tally(wrong)).toEqual({ 401: 8, 429: 12 });
    expect(tally(right)).toEqual({ 429: 5 });
    expect((await login({ email: account.email, password: PASSWORD })).status).toBe(429);
  });
});

describe('wrong passwords from many client addresses', () => {
  it('200 wrong passwords per hour for one account, then 429 from every client address; other accounts are unaffected', async () => {
    const small = await startTestApp({ environment: { TRUST_PROXY: '127.0.0.1', LIMIT_PASSWORD_PER_ACCOUNT: '6/1h' } });
    try {
      const [account, other] = [await registerUser(small), await registerUser(small)];
      const from = (address: number, email: string, password: string) =>
        createBrowser(small).post(
          '/auth/login',
          { email, password },
          { headers: { 'x-forwarded-for': `192.0.2.${address}` } },
        );
      for (let address = 1; address <= 6; address++) {
        expect((await from(address, account.email, 'wrong')).status).toBe(401);
      }
      expect((await from(7, account.email, PASSWORD)).status).toBe(429);
      expect((await from(7, other.email, PASSWORD)).status).toBe(200);
      expect(small.deps.config.LIMIT_PASSWORD_PER_ADDRESS).toEqual({ count: 20, window: 900 });
    } finally {
      await small.close();
    }
    expect(app.deps.config.LIMIT_PASSWORD_PER_ACCOUNT).toEqual({ count: 200, window: 3600 });
  });

  it('an IPv6 /64 counts as one client address, and all notations of an email count as one account', async () => {
    const small = await startTestApp({
      environment: { TRUST_PROXY: '127.0.0.1', LIMIT_PASSWORD_PER_ADDRESS: '2/15m' },
    });
    try {
      const { email } = await registerUser(small);
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

describe('a sign-in with a concurrent change is verified again', () => {
  type Change = Parameters<typeof setUser>[2];

  /** Signs in, and applies one change during each verification of the password. */
  const signInDuring = async ({ email, user_id }: TestUser, changes: Change[]) => {
    const { passwords } = app.deps;
    const verify = passwords.verify;
    passwords.verify = async (guess) => {
      const matches = await verify(guess);
      const change = changes.shift();
      if (change) await setUser(app, user_id, change);
      return matches;
    };
    const answer = await login({ email, password: PASSWORD });
    passwords.verify = verify;
    expect(changes).toEqual([]);
    return answer;
  };
  const hashAgain = () => app.deps.passwords.hash(PASSWORD, 'me');

  it.each([
    ['the password', { password_hash: '$argon2id$other' }, null],
    ['the status', { status: 'disabled' }, null],
    ['the password, with a second factor', { password_hash: '$argon2id$other' }, new Date()],
    ['the status, with a second factor', { status: 'disabled' }, new Date()],
  ] as const)(
    'a concurrent change of %s: 401 like a wrong password, no session',
    async (_name, change, mfa_enabled_at) => {
      const account = await registerUser(app);
      await setUser(app, account.user_id, { mfa_enabled_at });
      const answer = await signInDuring(account, [change]);
      expect(answer.status).toBe(401);
      expect(answer.set_cookies).toEqual([]);
      expect(await countSessions(app, account.user_id)).toBe(1);
      const metadata = { method: 'password', reason: 'credentials' };
      expect(await loginsOf(account.user_id)).toMatchObject([{ outcome: 'failure', metadata }]);
    },
  );

  it('a sign-in during which MFA is enabled requires the second factor', async () => {
    const account = await registerUser(app);
    const answer = await signInDuring(account, [{ mfa_enabled_at: new Date() }]);
    expect(answer.json.status).toBe('mfa_required');
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(app, account.user_id)).toBe(1);
  });

  it('200 if a concurrent sign-in stored another hash of the same password', async () => {
    const account = await registerUser(app);
    expect((await signInDuring(account, [{ password_hash: await hashAgain() }])).status).toBe(200);
    expect(await countSessions(app, account.user_id)).toBe(2);
  });

  it('401 if the stored hash changes twice during the sign-in, audited as superseded', async () => {
    const account = await registerUser(app);
    const changes = [{ password_hash: await hashAgain() }, { password_hash: await hashAgain() }];
    expect((await signInDuring(account, changes)).status).toBe(401);
    expect(await countSessions(app, account.user_id)).toBe(1);
    const metadata = { method: 'password', reason: 'superseded' };
    expect(await loginsOf(account.user_id)).toMatchObject([{ outcome: 'failure', metadata }]);
  });
});
