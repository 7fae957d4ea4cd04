import { LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { atOnce, bearer, createBrowser, registerUser, tally } from '../../../test/browser.ts';
import { insertSession, startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser, suspendOrganization, trustBrowser, untilBlocked } from '../../../test/records.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { events, listOf, livingOf, reach, registerWithMfa, rowsOf, trust, trusted, underWay } from './trust-fixture.ts';

const app = useTestApp();

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('POST /auth/trusted-browsers', () => {
  it('trusting a browser is 201 with the entry; it sets a cookie for 30 days, stores only the hash of the cookie, and is audited', async () => {
    const account = await registerWithMfa(app);
    const answer = await trust(account.browser, { name: '  The one in the kitchen ' });
    expect(answer.status).toBe(201);
    const now = app.clock.now();
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'The one in the kitchen',
      user_agent: 'lightMyRequest',
      created_at: now.toISOString(),
      last_used_at: null,
      expires_at: new Date(now.getTime() + 30 * 86_400_000).toISOString(),
    });
    const token = account.browser.jar.get('service_trust')!;
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(answer.set_cookies).toEqual([`service_trust=${token}; Path=/v1; Max-Age=2592000; SameSite=Lax; HttpOnly`]);
    expect(answer.text).not.toContain(token);
    const { rows } = await sql<{ text: string }>`select b::text as text from trusted_browsers b`.execute(app.deps.db);
    const stored = rows.map(({ text }) => text).join('\n');
    expect(stored).toContain(hashToken(token).toString('hex'));
    for (const bytes of [Buffer.from(token), Buffer.from(token, 'base64url')]) {
      expect(stored).not.toContain(bytes.toString('hex'));
    }
    expect(stored).not.toContain(token);
    const trail = await auditOf(app, { actor_id: account.user_id, action: 'trusted_browser.added' });
    expect(trail).toMatchObject([
      { resource_type: 'trusted_browser', resource_id: answer.json.id, outcome: 'success', metadata: {} },
    ]);
    expect(JSON.stringify(trail)).not.toContain(token);
  });

  it('the cookie has the route prefix as path, and is Secure over https', async () => {
    const other = await startTestApp({
      environment: { PUBLIC_BASE_URL: 'https://id.example.com', ROUTE_PREFIX: '/api/id' },
    });
    try {
      const { access_token } = await insertSession(other);
      const answer = await other.server.inject({
        method: 'POST',
        url: '/api/id/auth/trusted-browsers',
        headers: bearer(access_token).headers,
        payload: {},
      });
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^service_trust=[\w-]{43}; Path=\/api\/id; Max-Age=2592000; SameSite=Lax; HttpOnly; Secure$/,
        ),
      ]);
    } finally {
      await other.close();
    }
  });

  it('a trusted browser is named after the browser by default', async () => {
    const { browser } = await registerUser(app);
    const named = await trust(browser, {}, { headers: { 'user-agent': FIREFOX } });
    expect(named.json).toMatchObject({ name: 'Firefox on Linux', user_agent: FIREFOX });
    const silent = await trust(browser, {}, { headers: { 'user-agent': '' } });
    expect(silent.json).toMatchObject({ name: 'Unknown browser', user_agent: null });
  });

  it.each([
    [{ name: '' }, 'name: must be 1 to 120 characters'],
    [{ name: 'x'.repeat(121) }, 'name: must be 1 to 120 characters'],
    [{ name: '   ' }, 'name: must not be blank or contain control characters or invalid Unicode'],
    [{ name: 'a\u0000b' }, 'name: must not be blank or contain control characters or invalid Unicode'],
    [{ name: 7 }, 'name: must be a string'],
    [[], 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const account = await registerUser(app);
    const answer = await trust(account.browser, body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
    expect(await rowsOf(app, account)).toEqual([]);
  });

  it('401 without a session, 403 by cookie without CSRF; a Bearer needs none', async () => {
    const account = await registerUser(app);
    expect((await trust(createBrowser(app))).status).toBe(401);
    const refused = await trust(account.browser, {}, { csrf: false });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('csrf_failed');
    expect(refused.set_cookies).toEqual([]);
    expect(await rowsOf(app, account)).toEqual([]);
    expect((await trust(createBrowser(app), {}, bearer(account.access_token))).status).toBe(201);
  });
});

describe('with a second factor', () => {
  it('with MFA on, 401 mfa_required for a session without a second factor, and nothing is written', async () => {
    const account = await registerWithMfa(app);
    await reach(app, account.session_id, 'aal1');
    const answer = await trust(account.browser);
    expect(answer.status).toBe(401);
    expect(answer.json.error.code).toBe('mfa_required');
    expect(answer.set_cookies).toEqual([]);
    expect(await rowsOf(app, account)).toEqual([]);
    expect(await events(app, account)).toEqual([]);
  });

  it('the stored assurance of the session is used, not the cached one', async () => {
    const account = await registerUser(app);
    expect((await account.browser.get('/auth/session')).json.user.aal).toBe('aal1');
    await setUser(app, account.user_id, { mfa_enabled_at: app.clock.now() });
    expect((await trust(account.browser)).status).toBe(401);
    const { db } = app.deps;
    await db
      .updateTable('sessions')
      .set({ aal: 'aal2', mfa_verified_at: app.clock.now() })
      .where('id', '=', account.session_id)
      .execute();
    expect((await trust(account.browser)).status).toBe(201);
  });

  it('if MFA is concurrently enabled: 401 mfa_required, and nothing is written', async () => {
    const account = await registerUser(app);
    const commit = await underWay(app, (tx) =>
      tx.updateTable('users').set({ mfa_enabled_at: app.clock.now() }).where('id', '=', account.user_id).execute(),
    );
    const asking = trust(account.browser);
    await untilBlocked(app, 1);
    await commit();
    expect((await asking).json.error?.code).toBe('mfa_required');
    expect(await rowsOf(app, account)).toEqual([]);
  });
});

describe('fresh authentication', () => {
  it.each(['without MFA', 'with MFA and an aal2 session'])(
    '401 mfa_required 15 minutes after the sign-in: %s',
    async (how) => {
      const mfa = how !== 'without MFA';
      const account = mfa ? await registerWithMfa(app) : await registerUser(app);
      app.clock.advance(15 * 60 + 1);
      await account.browser.post('/auth/refresh');
      const answer = await trust(account.browser);
      expect([answer.status, answer.json.error.code, answer.headers['x-service-step-up']]).toEqual([
        401,
        'mfa_required',
        mfa ? 'second_factor' : 'sign_in',
      ]);
      expect(answer.set_cookies).toEqual([]);
      expect(await rowsOf(app, account)).toEqual([]);
      const { db } = app.deps;
      const mfa_verified_at = app.clock.now();
      await db.updateTable('sessions').set({ mfa_verified_at }).where('id', '=', account.session_id).execute();
      expect((await trust(account.browser)).status).toBe(201);
    },
  );
});

describe('a session that ends concurrently', () => {
  it.each(['the session', 'the user', 'the organization'])('trusts no browser (what ended: %s)', async (what) => {
    const account = await registerUser(app);
    const now = app.clock.now();
    const commit = await underWay(app, async (tx) => {
      const status = what === 'the user' ? 'disabled' : 'active';
      await tx.updateTable('users').set({ status }).where('id', '=', account.user_id).execute();
      if (what !== 'the session') return;
      await tx.updateTable('sessions').set({ revoked_at: now }).where('id', '=', account.session_id).execute();
    });
    const asking = trust(account.browser);
    await untilBlocked(app, 1);
    if (what === 'the organization') await suspendOrganization(app, account.organization_id);
    await commit();
    const answer = await asking;
    expect(answer.status).toBe(401);
    expect(answer.json.error.code).toBe('authentication_required');
    expect(answer.set_cookies).toEqual([]);
    expect(await rowsOf(app, account)).toEqual([]);
  });
});

describe('a browser that is already trusted', () => {
  it('gets a new entry that replaces the old one', async () => {
    const account = await registerWithMfa(app);
    const first = await trusted(account.browser, 'first');
    const elsewhere = createBrowser(app);
    await trust(elsewhere, { name: 'elsewhere' }, { headers: bearer(account.access_token).headers });
    app.clock.advance(10);
    const second = await trusted(account.browser, 'second');
    expect(second.token).not.toBe(first.token);
    expect((await listOf(account.browser)).map(({ name }: { name: string }) => name)).toEqual(['second', 'elsewhere']);
    const old = (await rowsOf(app, account)).find(({ id }) => id === first.id);
    expect(old).toMatchObject({ revoked_at: app.clock.now(), token_hash: null });
    expect((await events(app, account)).slice(2)).toEqual([
      `trusted_browser.revoked ${first.id}`,
      `trusted_browser.added ${second.id}`,
    ]);
  });

  it('a browser that another user already trusts: the cookie is replaced, and the entry of that user stays', async () => {
    const [account, outsider] = [await registerWithMfa(app), await registerWithMfa(app)];
    const theirs = await trusted(outsider.browser);
    account.browser.jar.set('service_trust', theirs.token);
    const own = await trusted(account.browser);
    expect(own.token).not.toBe(theirs.token);
    expect(await livingOf(app, outsider)).toHaveLength(1);
    expect(await livingOf(app, account)).toHaveLength(1);
    expect(await events(app, outsider)).toHaveLength(1);
  });

  it('a browser with an invalid or repeated cookie counts as a new one', async () => {
    const account = await registerWithMfa(app);
    const { token } = await trusted(account.browser);
    const { headers } = bearer(account.access_token);
    for (const cookie of ['service_trust=none', `service_trust=${token}; service_trust=${token}`]) {
      expect((await trust(createBrowser(app), {}, { headers: { ...headers, cookie } })).status).toBe(201);
    }
    expect(await livingOf(app, account)).toHaveLength(3);
  });
});

describe('the limit of 100 per user', () => {
  const LIMIT = LIMITS.trustedBrowsersPerUser;

  it('over the limit a new trusted browser replaces the oldest entry, unless it replaces its own earlier one', async () => {
    const account = await registerUser(app);
    await trustBrowser(app, account.user_id);
    app.clock.advance(1);
    const own = await trusted(account.browser);
    for (let index = 2; index < LIMIT; index++) await trustBrowser(app, account.user_id);
    app.clock.advance(1);
    const again = await trusted(account.browser);
    const living = await livingOf(app, account);
    expect(living).toHaveLength(LIMIT);
    expect((await events(app, account)).slice(1)).toEqual([
      `trusted_browser.revoked ${own.id}`,
      `trusted_browser.added ${again.id}`,
    ]);
    const further = await trust(createBrowser(app), {}, bearer(account.access_token));
    expect(await livingOf(app, account)).toHaveLength(LIMIT);
    expect((await events(app, account)).slice(3)).toEqual([
      `trusted_browser.revoked ${living[0]!.id}`,
      `trusted_browser.added ${further.json.id}`,
    ]);
    expect(await listOf(account.browser)).toHaveLength(LIMIT);
  });

  it('expired entries do not count for the limit, which ten concurrent requests do not exceed', async () => {
    const account = await registerUser(app);
    const past = new Date(app.clock.now().getTime() - 1000);
    await trustBrowser(app, account.user_id, { expires_at: past });
    for (let index = 0; index < LIMIT - 5; index++) await trustBrowser(app, account.user_id);
    const answers = await atOnce(10, () => trust(createBrowser(app), {}, bearer(account.access_token)));
    expect(tally(answers)).toEqual({ 201: 10 });
    const living = await livingOf(app, account);
    expect(living.filter(({ expires_at }) => expires_at > past)).toHaveLength(LIMIT);
    expect(living.filter(({ expires_at }) => expires_at <= past)).toHaveLength(1);
  });
});
