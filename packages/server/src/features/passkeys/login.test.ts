import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, cbor, createAuthenticator } from '../../../test/authenticator.ts';
import { atOnce, claimsOf, createBrowser, newEmail, registerUser, tally } from '../../../test/browser.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { SECRET } from '../../../test/harness.ts';
import {
  countingRows,
  countSessions,
  findSession,
  findUser,
  join,
  liveSessions,
  lockUserRow,
  setUser,
  suspendOrganization,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { seconds } from '../../platform/clock.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

describe('§4.3 POST /auth/passkey/login/complete', () => {
  it('200: LoginResponse, three cookies, a session at aal2 that is verified now', async () => {
    const account = await tests.withPasskey();
    tests.app.clock.advance(90);
    const now = tests.app.clock.now();
    const browser = createBrowser(tests.app);
    const begun = await browser.post('/auth/passkey/login/begin', { email: ` ${account.email.toUpperCase()} ` });
    const answer = await tests.complete(account.device.get(begun.json.publicKey), browser);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      status: 'success',
      user: {
        user_id: account.user_id,
        organization_id: account.organization_id,
        email: account.email,
        email_verified: false,
        display_name: null,
        auth_method: 'passkey',
        aal: 'aal2',
        session_family_id: expect.any(String),
        mfa_verified_at: now.toISOString(),
        scopes: [],
        allowed_ips: [],
        allowed_referrers: [],
        extensions: {},
      },
      capabilities: { role: 'owner', roles: [], permissions: expect.any(Array), platform_role: null },
      access_token: expect.any(String),
      expires_in: 900,
    });
    expect([...browser.jar.keys()].sort()).toEqual(['service_at', 'service_csrf', 'service_rt']);
    const sid = answer.json.user.session_family_id;
    expect(claimsOf(answer.json.access_token)).toMatchObject({
      sub: account.user_id,
      org: account.organization_id,
      sid,
      aal: 'aal2',
      auth_method: 'passkey',
      auth_time: seconds(now),
    });
    expect(await findSession(tests.app, sid)).toMatchObject({
      aal: 'aal2',
      auth_method: 'passkey',
      mfa_verified_at: now,
    });
    expect((await browser.get('/auth/session')).json.user).toEqual(answer.json.user);
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect((await findUser(tests.app, account.user_id)).last_login_at).toEqual(now);
  });

  it('updates counter, time of use and backup state of the passkey', async () => {
    const account = await tests.withPasskey(createAuthenticator({ synced: true }));
    expect(await tests.findPasskey(account.passkey_id)).toMatchObject({ sign_count: 0, last_used_at: null });
    tests.app.clock.advance(5);
    const answer = await tests.signIn(account, { counter: 41, backup_flags: { eligible: true, state: false } });
    expect(answer.status).toBe(200);
    expect(await tests.findPasskey(account.passkey_id)).toMatchObject({
      sign_count: 41,
      last_used_at: tests.app.clock.now(),
      backed_up: false,
    });
  });

  it('accepts a passkey that reports backup eligibility for the first time, and stores it', async () => {
    const account = await tests.withPasskey();
    expect(await tests.findPasskey(account.passkey_id)).toMatchObject({ device_type: 'singleDevice' });
    expect((await tests.signIn(account, { backup_flags: { eligible: true, state: true } })).status).toBe(200);
    expect(await tests.findPasskey(account.passkey_id)).toMatchObject({ device_type: 'multiDevice', backed_up: true });
    expect((await tests.signIn(account, { backup_flags: { eligible: false, state: false } })).status).toBe(401);
  });

  it('writes one audit row and stores the challenge as used', async () => {
    const account = await tests.withPasskey();
    const credential = account.device.get(await tests.begin(account.email));
    const { result, rows } = await countingRows(tests.app, ['audit_events', 'passkey_challenges', 'sessions'], () =>
      tests.complete(credential),
    );
    expect(result.status).toBe(200);
    expect(rows).toEqual({ audit_events: 1, passkey_challenges: 1, sessions: 1 });
    expect(await tests.loginsOf(account.user_id)).toMatchObject([
      {
        outcome: 'success',
        organization_id: account.organization_id,
        resource_type: 'user',
        resource_id: account.user_id,
        metadata: { passkey_id: account.passkey_id },
      },
    ]);
  });

  it('a sign-in that began without an email signs in the user of the passkey', async () => {
    const account = await tests.withPasskey();
    const options = await tests.begin();
    expect(options).not.toHaveProperty('allowCredentials');
    const answer = await tests.complete(account.device.get(options));
    expect(answer.json).toMatchObject({ status: 'success', user: { user_id: account.user_id } });
  });

  it.each(['ES256', 'RS256', 'EdDSA'] as const)('accepts a %s signature, rejects a changed one', async (algorithm) => {
    const account = await tests.withPasskey(createAuthenticator({ algorithm }));
    expect((await tests.signIn(account)).status).toBe(200);
    expect((await tests.signIn(account, { signature: (right) => right.fill(1, 8, 12) })).status).toBe(401);
  });

  it('accepts an authenticator without a counter, which stays at 0', async () => {
    const account = await tests.withPasskey(createAuthenticator({ counts: false }));
    for (let index = 0; index < 3; index++) expect((await tests.signIn(account)).status).toBe(200);
    expect(await tests.findPasskey(account.passkey_id)).toMatchObject({ sign_count: 0 });
  });

  it('ignores extension data', async () => {
    const extensions = cbor(
      new Map<string, unknown>([
        ['credProtect', 2],
        ['__proto__', new Map([['x', 1]])],
      ]),
    );
    const { browser, ...account } = await registerUser(tests.app);
    const device = createAuthenticator();
    const { status, json } = await addPasskey(browser, device, { extensions });
    expect(status).toBe(201);
    const keyholder = { ...account, browser, device, passkey_id: json.id };
    expect((await tests.signIn(keyholder, { extensions })).status).toBe(200);
  });

  it('accepts any of several passkeys, also one added after the challenge was issued', async () => {
    const account = await tests.withPasskey();
    const options = await tests.begin(account.email);
    const second = createAuthenticator();
    await addPasskey(account.browser, second);
    expect((await tests.complete(second.get(options))).status).toBe(200);
    expect((await tests.signIn(account)).status).toBe(200);
  });

  it('accepts a security key without a user handle if an email was given', async () => {
    const account = await tests.withPasskey();
    for (const user_handle of [null, '']) expect((await tests.signIn(account, { user_handle })).status).toBe(200);
    const credential = account.device.get(await tests.begin(account.email));
    delete credential.response.userHandle;
    expect((await tests.complete(credential)).status).toBe(200);
  });

  it('a sign-in needs no CSRF header and ignores credentials', async () => {
    const account = await tests.withPasskey();
    const credential = account.device.get(await tests.begin(account.email));
    const headers = { authorization: 'Bearer nonsense' };
    const answer = await account.browser.post('/auth/passkey/login/complete', { credential }, { headers, csrf: false });
    expect(answer.status).toBe(200);
  });

  it('signs in to the organization last used', async () => {
    const account = await tests.withPasskey();
    const other = await join(tests.app, account.user_id);
    await setUser(tests.app, account.user_id, { last_organization_id: other });
    expect((await tests.signIn(account)).json.user.organization_id).toBe(other);
  });

  it('organization_id selects the organization; 403 after the right signature if the user is not a member', async () => {
    const [account, outsider] = [await tests.withPasskey(), await tests.withPasskey()];
    const other = await join(tests.app, account.user_id);
    const enter = async (organization_id: unknown, tampering = {}) =>
      createBrowser(tests.app).post('/auth/passkey/login/complete', {
        credential: account.device.get(await tests.begin(account.email), tampering),
        organization_id,
      });
    expect((await enter(other)).json.user.organization_id).toBe(other);
    expect((await enter(outsider.organization_id, { user_verified: false })).status).toBe(401);
    const refused = await enter(outsider.organization_id);
    expect([refused.status, refused.json.error.code, refused.set_cookies]).toEqual([403, 'forbidden', []]);
    expect((await enter('x')).status).toBe(400);
  });
});

describe('with a second factor', () => {
  it('a passkey needs no MFA challenge, because it counts as both factors, also in a trusted browser', async () => {
    const account = await tests.withPasskey();
    await setUser(tests.app, account.user_id, { mfa_enabled_at: tests.app.clock.now() });
    const cookie = await trustBrowser(tests.app, account.user_id);
    const credential = account.device.get(await tests.begin(account.email));
    const answer = await createBrowser(tests.app).post(
      '/auth/passkey/login/complete',
      { credential },
      { headers: { cookie } },
    );
    expect(answer.json).toMatchObject({
      status: 'success',
      user: { aal: 'aal2', auth_method: 'passkey', mfa_verified_at: tests.app.clock.now().toISOString() },
    });
    expect((await tests.loginsOf(account.user_id)).at(-1)!.metadata).toEqual({ passkey_id: account.passkey_id });
  });

  it('a session by passkey can add another passkey without a further step-up', async () => {
    const account = await tests.withPasskey();
    await setUser(tests.app, account.user_id, { mfa_enabled_at: tests.app.clock.now() });
    const browser = createBrowser(tests.app);
    await tests.complete(account.device.get(await tests.begin(account.email)), browser);
    expect((await addPasskey(browser, createAuthenticator())).status).toBe(201);
  });
});

describe('a suspended organization', () => {
  it('403 only after a right signature, whose challenge is consumed', async () => {
    const account = await tests.withPasskey();
    await suspendOrganization(tests.app, account.organization_id);
    expect((await tests.signIn(account, { user_verified: false })).status).toBe(401);
    const credential = account.device.get(await tests.begin(account.email));
    const refused = await tests.complete(credential);
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('forbidden');
    expect(refused.set_cookies).toEqual([]);
    expect((await tests.loginsOf(account.user_id)).at(-1)).toMatchObject({
      outcome: 'failure',
      metadata: { passkey_id: account.passkey_id, reason: 'organization' },
    });
    expect((await tests.findPasskey(account.passkey_id)).sign_count).toBe(account.device.counter);
    expect((await tests.complete(credential)).status).toBe(401);
  });
});

describe('a change of JWT_SECRET', () => {
  it('a challenge under the previous secret is valid', async () => {
    const database = await createTestDatabase();
    const old = await startPasskeys({ database });
    const account = await old.withPasskey();
    const signing = await old.begin(account.email);
    await old.app.close();
    const environment = { JWT_SECRET: `${SECRET}, changed`, JWT_SECRET_PREVIOUS: SECRET };
    const changed = await startPasskeys({ database, environment });
    expect((await changed.complete(account.device.get(signing))).status).toBe(200);
    await changed.app.close();
    await database.close();
  });
});

describe('concurrent sign-ins', () => {
  it('ten concurrent sign-ins with one signature open one session', async () => {
    const account = await tests.withPasskey(createAuthenticator({ counts: false }));
    const credential = account.device.get(await tests.begin(account.email));
    const answers = await atOnce(10, () => tests.complete(credential));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    expect(await countSessions(tests.app, account.user_id)).toBe(2);
    expect(await tests.loginsOf(account.user_id)).toHaveLength(10);
  });

  it('of copies of a passkey with the same counter one signs in, and the counter never decreases', async () => {
    const account = await tests.withPasskey();
    const credentials = await Promise.all(
      Array.from({ length: 10 }, async () => account.device.get(await tests.begin(account.email), { counter: 5 })),
    );
    const answers = await Promise.all(credentials.map((credential) => tests.complete(credential)));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    expect((await tests.findPasskey(account.passkey_id)).sign_count).toBe(5);
  });

  const meanwhile = {
    'the passkey was removed': (id: string, _user: string) =>
      ({ table: 'passkeys', set: { revoked_at: new Date(), credential_id: null, public_key: null }, id }) as const,
    'the account was disabled': (_id: string, user: string) =>
      ({ table: 'users', set: { status: 'disabled' }, id: user }) as const,
  };
  it.each(Object.entries(meanwhile))('no session if, during the sign-in, %s', async (_name, change) => {
    const account = await tests.withPasskey();
    const credential = account.device.get(await tests.begin(account.email));
    const { table, set, id } = change(account.passkey_id, account.user_id);
    const blocker = await tests.app.deps.db.startTransaction().execute();
    await blocker.updateTable(table).set(set).where('id', '=', id).execute();
    const signingIn = tests.complete(credential);
    await untilBlocked(tests.app, 1);
    await blocker.commit().execute();
    expect((await signingIn).status).toBe(401);
    expect(await countSessions(tests.app, account.user_id)).toBe(1);
    expect((await tests.loginsOf(account.user_id)).at(-1)).toMatchObject({
      outcome: 'failure',
      metadata: { passkey_id: account.passkey_id, reason: 'superseded' },
    });
  });

  it('a reset and a sign-in that wait for the same user do not deadlock, and no session is left', async () => {
    const account = await tests.withPasskey();
    const post = (path: string, body: object) => createBrowser(tests.app).post(path, body);
    await post('/auth/password/forgot', { email: account.email });
    const token = await tests.app.mailbox.takeToken(account.email, 'reset-password');
    const credential = account.device.get(await tests.begin(account.email));
    const release = await lockUserRow(tests.app, account.user_id);
    const signingIn = tests.complete(credential);
    await untilBlocked(tests.app, 1);
    // A request that waits for the user's row holds no other lock.
    const passkey = tests.app.deps.db.selectFrom('passkeys').select('id').where('id', '=', account.passkey_id);
    expect(await passkey.forUpdate().noWait().execute()).toHaveLength(1);
    const resetting = post('/auth/password/reset', { token, new_password: 'another correct horse' });
    await untilBlocked(tests.app, 2);
    await release();
    expect((await resetting).status).toBe(204);
    expect([200, 401]).toContain((await signingIn).status);
    expect(await liveSessions(tests.app, account.user_id)).toEqual([]);
  });

  it('401 for a passkey that signs the challenge of an unknown email', async () => {
    const account = await tests.withPasskey();
    expect((await tests.complete(account.device.get(await tests.begin(newEmail('unknown'))))).status).toBe(401);
  });
});
