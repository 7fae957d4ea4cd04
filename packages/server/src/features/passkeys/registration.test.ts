import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, beginAdding, createAuthenticator } from '../../../test/authenticator.ts';
import {
  atOnce,
  bearer,
  createBrowser,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { countingRows, setSession, setUser, suspendOrganization, untilBlocked } from '../../../test/records.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';
import { userHandleOf } from './relying-party.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

const BEGIN = '/users/me/passkeys/register/begin';
const COMPLETE = '/users/me/passkeys/register/complete';
const register = () => registerUser(tests.app);
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('POST /users/me/passkeys/register/begin', () => {
  it('starting is 200 with creation options for this user and origin; nothing is written', async () => {
    const account = await register();
    const { result, rows } = await countingRows(
      tests.app,
      ['passkeys', 'passkey_challenges', 'audit_events', 'mails', 'rate_counters'],
      () => account.browser.post(BEGIN),
    );
    expect(rows).toEqual({ passkeys: 0, passkey_challenges: 0, audit_events: 0, mails: 0, rate_counters: 0 });
    expect(result.status).toBe(200);
    expect(result.json).toEqual({
      publicKey: {
        rp: { id: 'localhost', name: 'localhost' },
        user: {
          id: userHandleOf(account.user_id).toString('base64url'),
          name: account.email,
          displayName: account.email,
        },
        challenge: expect.stringMatching(/^[\w-]{66}$/),
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        attestation: 'none',
        authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
        excludeCredentials: [],
      },
    });
  });

  it('the creation options exclude existing passkeys, with their transports', async () => {
    const { browser, device } = await tests.withPasskey();
    const second = createAuthenticator({ transports: ['usb', 'nfc', 'carrier pigeon', 'usb'] });
    expect((await addPasskey(browser, second)).status).toBe(201);
    const { excludeCredentials } = (await browser.post(BEGIN)).json.publicKey;
    expect(excludeCredentials).toEqual([
      { id: device.id, type: 'public-key', transports: ['hybrid', 'internal'] },
      { id: second.id, type: 'public-key', transports: ['nfc', 'usb'] },
    ]);
  });

  it('the creation options show the display name of the user', async () => {
    const account = await registerUser(tests.app, { display_name: 'Ada Lovelace' });
    expect(await beginAdding(account.browser)).toMatchObject({
      user: { name: account.email, displayName: 'Ada Lovelace' },
    });
  });
});

describe('POST /users/me/passkeys/register/complete', () => {
  it('completing is 201 with the passkey; it writes an audit row and sends a notice by mail', async () => {
    const account = await register();
    await tests.app.mailbox.take(account.email);
    const device = createAuthenticator();
    const answer = await addPasskey(account.browser, device, { name: '  My phone ' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'My phone',
      created_at: tests.app.clock.now().toISOString(),
      last_used_at: null,
      device_type: 'singleDevice',
      backed_up: false,
      transports: ['hybrid', 'internal'],
      aaguid: device.aaguid,
      rp_id: 'localhost',
      usable: true,
    });
    expect(await tests.findPasskey(answer.json.id)).toMatchObject({
      user_id: account.user_id,
      credential_id: device.credential_id,
      sign_count: 0,
    });
    expect(await tests.addedBy(account.user_id)).toMatchObject([
      {
        outcome: 'success',
        organization_id: account.organization_id,
        resource_type: 'passkey',
        resource_id: answer.json.id,
        metadata: {},
      },
    ]);
    const [mail] = await tests.app.mailbox.take(account.email);
    expect(mail).toMatchObject({ subject: 'A passkey was added to your account' });
    expect(mail!.text).toContain('“My phone”');
  });

  it('a passkey is named after the browser by default', async () => {
    const account = await register();
    const device = createAuthenticator();
    const credential = device.create(await beginAdding(account.browser));
    const headers = { 'user-agent': FIREFOX };
    const answer = await account.browser.post(COMPLETE, { credential }, { headers });
    expect(answer.json.name).toBe('Firefox on Linux');
  });

  it('registration stores backup state and initial counter', async () => {
    const account = await register();
    const answer = await addPasskey(account.browser, createAuthenticator({ synced: true }), { counter: 7 });
    expect(answer.json).toMatchObject({ device_type: 'multiDevice', backed_up: true });
    expect(await tests.findPasskey(answer.json.id)).toMatchObject({ sign_count: 7 });
  });

  it.each(['ES256', 'RS256', 'EdDSA'] as const)('a public key for %s is accepted', async (algorithm) => {
    const account = await register();
    expect((await addPasskey(account.browser, createAuthenticator({ algorithm }))).status).toBe(201);
  });

  it('registration accepts a Bearer token', async () => {
    const account = await register();
    const browser = createBrowser(tests.app);
    const begun = await browser.post(BEGIN, undefined, bearer(account.access_token));
    const credential = createAuthenticator().create(begun.json.publicKey);
    expect((await browser.post(COMPLETE, { credential }, bearer(account.access_token))).status).toBe(201);
  });

  it('attestation is ignored: certificates are neither parsed nor fetched', async () => {
    const attestations = [
      {
        fmt: 'packed',
        attStmt: new Map<unknown, unknown>([
          ['alg', -7],
          ['sig', Buffer.alloc(70)],
          ['x5c', [Buffer.alloc(9)]],
        ]),
      },
      {
        fmt: 'android-safetynet',
        attStmt: new Map<unknown, unknown>([
          ['ver', '1'],
          ['response', Buffer.from('a.b.c')],
        ]),
      },
      { fmt: 'never heard of', attStmt: new Map<unknown, unknown>([['x', 'y']]) },
    ];
    for (const attestation of attestations) {
      const account = await register();
      const answer = await addPasskey(account.browser, createAuthenticator(), { attestation });
      expect(answer.status, attestation.fmt).toBe(201);
    }
  });

  it.each([
    ['absent', undefined],
    ['a string', 'usb'],
    ['an object', { 0: 'usb' }],
    ['lists', [['usb']]],
    ['unknown values', [7, null, 'smoke']],
    ['far too many', Array(1000).fill('usb')],
  ])('invalid transports, which are hints, are ignored: %s', async (_name, transports) => {
    const account = await register();
    const credential = createAuthenticator().create(await beginAdding(account.browser));
    const answer = await account.browser.post(COMPLETE, {
      credential: { ...credential, response: { ...credential.response, transports } },
    });
    expect(answer.json).toMatchObject({ transports: [] });
  });
});

describe('the challenge of a registration', () => {
  const begunBy = async ({ browser }: TestUser) => createAuthenticator().create(await beginAdding(browser));

  it('the challenge is valid until a second before its expiry', async () => {
    const account = await register();
    const [inTime, late] = [await begunBy(account), await begunBy(account)];
    tests.app.clock.advance(299);
    expect((await account.browser.post(COMPLETE, { credential: inTime })).status).toBe(201);
    tests.app.clock.advance(1);
    const answer = await account.browser.post(COMPLETE, { credential: late });
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe('credential: does not match a pending challenge of yours; start again');
  });

  it('the challenge is valid once', async () => {
    const account = await register();
    const options = await beginAdding(account.browser);
    const [first, second] = [createAuthenticator(), createAuthenticator()];
    expect((await account.browser.post(COMPLETE, { credential: first.create(options) })).status).toBe(201);
    const answer = await account.browser.post(COMPLETE, { credential: second.create(options) });
    expect(answer.status).toBe(400);
    expect(await tests.passkeysOf(account.user_id)).toHaveLength(1);
  });

  it('the challenge is valid only for the same account; one of another user is rejected and consumed', async () => {
    const [account, other] = [await register(), await register()];
    const credential = await begunBy(other);
    await tests.expectNotAdded(account, await account.browser.post(COMPLETE, { credential }), 400, 'invalid_input');
    await tests.expectNotAdded(other, await other.browser.post(COMPLETE, { credential }), 400, 'invalid_input');
  });

  it('the challenge cannot be that of a sign-in, which the attempt consumes', async () => {
    const { browser, user_id, email, device } = await tests.withPasskey();
    const { challenge } = (await tests.begin(email)) as { challenge: string };
    const credential = createAuthenticator().create(await beginAdding(browser), { challenge });
    expect((await browser.post(COMPLETE, { credential })).status).toBe(400);
    expect(await tests.passkeysOf(user_id)).toHaveLength(1);
    const answer = await tests.complete(device.get({ rpId: 'localhost', challenge }));
    expect(answer.status).toBe(401);
  });

  it.each([
    ['short', 'AAAA'],
    ['of the right length', 'A'.repeat(66)],
    ['long', 'x'.repeat(5000)],
    ['empty', ''],
    ['not base64url', '='],
    ['not ASCII', 'ü'],
  ])('the challenge must have been issued by the service: %s', async (_name, challenge) => {
    const account = await register();
    const credential = createAuthenticator().create(await beginAdding(account.browser), { challenge });
    const { result, rows } = await countingRows(tests.app, ['passkey_challenges'], () =>
      account.browser.post(COMPLETE, { credential }),
    );
    await tests.expectNotAdded(account, result, 400, 'invalid_input');
    expect(rows).toEqual({ passkey_challenges: 0 });
  });
});

describe('a credential id', () => {
  it('is unique: 409 for an own passkey, and for one of another user', async () => {
    const { browser, device, user_id } = await tests.withPasskey();
    const again = await addPasskey(browser, device);
    expect(again.status).toBe(409);
    expect(again.json.error).toMatchObject({ code: 'conflict', message: 'this passkey is already added' });
    const other = await register();
    const foreign = createAuthenticator({ credential_id: device.credential_id });
    await tests.expectNotAdded(other, await addPasskey(other.browser, foreign), 409, 'conflict');
    expect(await tests.passkeysOf(user_id)).toHaveLength(1);
  });

  it('a failed registration does not count towards the mail limit', async () => {
    const { browser, device, email } = await tests.withPasskey();
    for (let index = 0; index < 12; index++) expect((await addPasskey(browser, device)).status).toBe(409);
    await tests.app.mailbox.take(email);
    expect((await addPasskey(browser, createAuthenticator())).status).toBe(201);
    expect(await tests.app.mailbox.take(email)).toHaveLength(1);
  });

  it('ten concurrent registrations of one credential id: one is added', async () => {
    const account = await register();
    const device = createAuthenticator();
    const answers = await atOnce(10, () => addPasskey(account.browser, device));
    expect(tally(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await tests.addedBy(account.user_id)).toHaveLength(1);
  });

  it('can be added again after it was removed', async () => {
    const { browser, device, passkey_id } = await tests.withPasskey();
    expect((await browser.delete(`/users/me/passkeys/${passkey_id}`)).status).toBe(204);
    expect((await addPasskey(browser, device)).status).toBe(201);
  });
});

describe('the limit of 50 passkeys per user', () => {
  it('409 for the 51st passkey, at start and completion, also for concurrent requests', async () => {
    const account = await register();
    const { db } = tests.app.deps;
    const first = await addPasskey(account.browser, createAuthenticator());
    const { id: _id, credential_id: _credential, ...row } = await tests.findPasskey(first.json.id);
    const rows = Array.from({ length: 47 }, (_, index) => ({
      ...row,
      id: uuid(),
      credential_id: Buffer.from(`${account.user_id} ${index}`),
    }));
    await db.insertInto('passkeys').values(rows).execute();
    const late = createAuthenticator().create(await beginAdding(account.browser));
    const answers = await atOnce(6, () => addPasskey(account.browser, createAuthenticator()));
    expect(tally(answers)).toEqual({ 201: 2, 409: 4 });
    for (const answer of [
      await account.browser.post(BEGIN),
      await account.browser.post(COMPLETE, { credential: late }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.json.error.message).toBe('you have 50 passkeys; remove one first');
    }
    expect((await account.browser.delete(`/users/me/passkeys/${first.json.id}`)).status).toBe(204);
    expect((await addPasskey(account.browser, createAuthenticator())).status).toBe(201);
  });
});

describe('fresh authentication for a new credential', () => {
  const madeBy = async ({ browser }: TestUser) => createAuthenticator().create(await beginAdding(browser));
  const both = async ({ browser }: TestUser, credential: unknown) => [
    await browser.post(BEGIN),
    await browser.post(COMPLETE, { credential }),
  ];
  const verify = async ({ session_id, user_id }: TestUser) => {
    await setSession(tests.app, session_id, { aal: 'aal2', mfa_verified_at: tests.app.clock.now() });
    await tests.app.deps.bus.deliver([{ topic: 'user', key: user_id }]);
  };

  it('401 mfa_required, at start and completion, if the sign-in is older than 15 minutes', async () => {
    const account = await register();
    tests.app.clock.advance(14 * 60);
    await account.browser.post('/auth/refresh');
    const credential = await madeBy(account);
    tests.app.clock.advance(61);
    for (const answer of await both(account, credential)) {
      await tests.expectNotAdded(account, answer, 401, 'mfa_required');
    }
    await verify(account);
    // The challenge was not consumed, so the user need not repeat the ceremony.
    expect((await account.browser.post(COMPLETE, { credential })).status).toBe(201);
  });

  it('with MFA a session without a second factor is rejected, also if MFA was enabled between start and completion', async () => {
    const account = await register();
    const credential = await madeBy(account);
    await setUser(tests.app, account.user_id, { mfa_enabled_at: tests.app.clock.now() });
    for (const answer of await both(account, credential)) {
      await tests.expectNotAdded(account, answer, 401, 'mfa_required');
    }
    await verify(account);
    expect((await account.browser.post(COMPLETE, { credential })).status).toBe(201);
  });

  it('401 mfa_required if MFA is enabled during the completion', async () => {
    const account = await register();
    const credential = await madeBy(account);
    const blocker = await tests.app.deps.db.startTransaction().execute();
    const mfa_enabled_at = tests.app.clock.now();
    await blocker.updateTable('users').set({ mfa_enabled_at }).where('id', '=', account.user_id).execute();
    const adding = account.browser.post(COMPLETE, { credential });
    await untilBlocked(tests.app, 1);
    await blocker.commit().execute();
    await tests.expectNotAdded(account, await adding, 401, 'mfa_required');
  });

  it('a session that is concurrently ended adds no passkey', async () => {
    const account = await register();
    const credential = await madeBy(account);
    const blocker = await tests.app.deps.db.startTransaction().execute();
    const revoked_at = tests.app.clock.now();
    await blocker.updateTable('sessions').set({ revoked_at }).where('id', '=', account.session_id).execute();
    const adding = account.browser.post(COMPLETE, { credential });
    await untilBlocked(tests.app, 1);
    await blocker.commit().execute();
    await tests.expectNotAdded(account, await adding, 401, 'authentication_required');
  });

  it('an account that is concurrently disabled gets no passkey', async () => {
    const account = await register();
    const credential = await madeBy(account);
    const blocker = await tests.app.deps.db.startTransaction().execute();
    await blocker.updateTable('users').set({ status: 'disabled' }).where('id', '=', account.user_id).execute();
    const adding = account.browser.post(COMPLETE, { credential });
    await untilBlocked(tests.app, 1);
    await blocker.commit().execute();
    await tests.expectNotAdded(account, await adding, 401, 'authentication_required');
  });
});

describe('access to passkey registration', () => {
  it('401 without a session; 403 by cookie without CSRF; 401 after a suspension', async () => {
    const account = await register();
    for (const path of [BEGIN, COMPLETE]) {
      const body = path === COMPLETE ? { credential: {} } : undefined;
      expect((await createBrowser(tests.app).post(path, body)).status).toBe(401);
      const forged = await account.browser.post(path, body, { csrf: false });
      expect(forged.status).toBe(403);
      expect(forged.json.error.code).toBe('csrf_failed');
    }
    const elsewhere = await signInAgain(tests.app, account);
    await suspendOrganization(tests.app, account.organization_id);
    expect((await elsewhere.post(BEGIN)).status).toBe(401);
  });
});
