import { randomBytes } from 'node:crypto';
import { NIL_UUID } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginAdding, createAuthenticator, type GivenCredential, type Tampering } from '../../../test/authenticator.ts';
import { createBrowser, newEmail, registerUser } from '../../../test/browser.ts';
import { countingRows, countSessions, setUser } from '../../../test/records.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';
import { userHandleOf } from './relying-party.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

const BODY = {
  error: {
    code: 'authentication_required',
    message: 'the credentials are not valid',
    type: 'authentication_error',
  },
};

/** Expects 401, and returns the number of rows written and the response. */
async function expectRejected(credential: unknown) {
  const { result, rows } = await countingRows(tests.app, ['audit_events', 'passkey_challenges', 'sessions'], () =>
    tests.complete(credential),
  );
  const { status, json, set_cookies } = result;
  expect({ status, json, set_cookies }, result.text).toEqual({ status: 401, json: BODY, set_cookies: [] });
  expect(rows.sessions).toBe(0);
  const { date: _date, ...headers } = result.headers;
  return { rows, text: result.text, headers };
}

const lastLogin = async () =>
  (await tests.app.deps.db
    .selectFrom('audit_events')
    .selectAll()
    .where('action', '=', 'auth.passkey.login')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst())!;

describe('§4.3 400 for a malformed request', () => {
  it.each([
    [{}, 'credential: is required'],
    [{ credential: null }, 'credential: must be an object'],
    [{ credential: 'x' }, 'credential: must be an object'],
    [{ credential: 7 }, 'credential: must be an object'],
    [{ credential: [] }, 'credential: must be an object'],
    ['{"__proto__":{"credential":{}}}', 'credential: is required'],
    ['{', 'body: must be valid JSON'],
    [[], 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await createBrowser(tests.app).post('/auth/passkey/login/complete', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });
});

describe('§4.3 400 for an invalid organization_id', () => {
  it.each(['x', 7])('consumes the challenge: %j', async (organization_id) => {
    const account = await tests.withPasskey();
    const credential = account.device.get(await tests.begin(account.email));
    const send = (body: object) => createBrowser(tests.app).post('/auth/passkey/login/complete', body);
    expect((await send({ credential, organization_id })).status).toBe(400);
    expect((await send({ credential })).json).toEqual(BODY);
    expect(await lastLogin()).toMatchObject({ outcome: 'failure', metadata: { reason: 'challenge' } });
  });
});

describe('§4.3 401, and the challenge is consumed', () => {
  const untrue: [string, string, Tampering | (() => Tampering)][] = [
    ['another origin', 'verification', { origin: 'http://localhost:8081' }],
    ['another scheme', 'verification', { origin: 'https://localhost:8080' }],
    ['a subdomain', 'verification', { origin: 'http://evil.localhost:8080' }],
    ['another relying party', 'verification', { rpId: 'example.com' }],
    ['the type of the other ceremony', 'verification', { type: 'webauthn.create' }],
    ['a cross-origin frame', 'verification', { crossOrigin: true }],
    ['an embedding page', 'verification', { topOrigin: 'https://example.com' }],
    ['no user presence', 'verification', { user_present: false }],
    ['no user verification', 'verification', { user_verified: false }],
    ['impossible backup flags', 'verification', { backup_flags: { eligible: false, state: true } }],
    [
      'one changed bit of the signature',
      'verification',
      { signature: (right) => Buffer.from(right).fill(right[20]! ^ 1, 20, 21) },
    ],
    ['an empty signature', 'verification', { signature: () => Buffer.alloc(0) }],
    ['a signature that is not DER', 'verification', { signature: () => randomBytes(70) }],
    ['a byte after the signature', 'verification', { signature: (right) => Buffer.concat([right, Buffer.of(0)]) }],
    ['a truncated signature', 'verification', { signature: (right) => right.subarray(0, -1) }],
    ['a signature of another key', 'verification', () => ({ signs_with: createAuthenticator() })],
    ['the handle of another user', 'verification', { user_handle: Buffer.alloc(16, 7).toString('base64url') }],
    ['a handle that is too long', 'verification', { user_handle: 'A'.repeat(100_000) }],
    ['a handle that is not base64url', 'verification', { user_handle: '***' }],
    ['an unknown passkey id', 'unknown', () => ({ credential_id: randomBytes(20) })],
  ];
  it.each(untrue)('401 for %s; the challenge is consumed', async (_name, reason, tampering) => {
    const user = await tests.withPasskey();
    const options = await tests.begin(user.email);
    const given = typeof tampering === 'function' ? tampering() : tampering;
    const { rows } = await expectRejected(user.device.get(options, given));
    expect(rows).toEqual({ audit_events: 1, passkey_challenges: 1, sessions: 0 });
    const knownUserId = reason === 'unknown' ? null : user.user_id;
    expect(await lastLogin()).toMatchObject({
      outcome: 'failure',
      actor_type: 'anonymous',
      actor_id: null,
      resource_id: knownUserId ?? NIL_UUID,
      organization_id: knownUserId === null ? NIL_UUID : user.organization_id,
      metadata: knownUserId === null ? { reason } : { reason, passkey_id: user.passkey_id },
    });
    expect(await tests.findPasskey(user.passkey_id)).toMatchObject({ sign_count: 0, last_used_at: null });
    // The challenge is consumed, so the right response fails too.
    await expectRejected(user.device.get(options));
    expect(await countSessions(tests.app, user.user_id)).toBe(1);
  });

  it('401 for a passkey that is no longer eligible for backup', async () => {
    const user = await tests.withPasskey(createAuthenticator({ synced: true }));
    const backup_flags = { eligible: false, state: false };
    await expectRejected(user.device.get(await tests.begin(user.email), { backup_flags }));
    expect((await lastLogin()).metadata).toEqual({ reason: 'verification', passkey_id: user.passkey_id });
    expect((await tests.signIn(user, { backup_flags: { eligible: true, state: false } })).status).toBe(200);
  });

  it('401 for a repeated response', async () => {
    const user = await tests.withPasskey(createAuthenticator({ counts: false }));
    const credential = user.device.get(await tests.begin(user.email));
    expect((await tests.complete(credential)).status).toBe(200);
    const { rows } = await expectRejected(credential);
    expect(rows).toEqual({ audit_events: 1, passkey_challenges: 0, sessions: 0 });
    expect((await lastLogin()).metadata).toEqual({ reason: 'challenge', passkey_id: user.passkey_id });
  });

  it('401 for a challenge of one email with the passkey of another user', async () => {
    const [ada, bob] = [await tests.withPasskey(), await tests.withPasskey()];
    const options = await tests.begin(ada.email);
    await expectRejected(bob.device.get(options));
    expect(await lastLogin()).toMatchObject({
      actor_id: null,
      resource_id: bob.user_id,
      metadata: { reason: 'challenge' },
    });
    await expectRejected(ada.device.get(options));
  });

  it('401 for a challenge of an email without an account', async () => {
    const user = await tests.withPasskey();
    await expectRejected(user.device.get(await tests.begin(newEmail('nobody'))));
    expect((await lastLogin()).metadata).toMatchObject({ reason: 'challenge' });
  });

  it('401 for the id of one passkey with the key of another', async () => {
    const [ada, bob] = [await tests.withPasskey(), await tests.withPasskey()];
    const { credential_id } = ada.device;
    const user_handle = userHandleOf(ada.user_id).toString('base64url');
    for (const email of [ada.email, bob.email, undefined]) {
      await expectRejected(bob.device.get(await tests.begin(email), { credential_id, user_handle }));
      await expectRejected(bob.device.get(await tests.begin(email), { user_handle }));
    }
    expect(await countSessions(tests.app, ada.user_id)).toBe(1);
  });

  it('401 without an email, for a passkey without a user handle', async () => {
    const user = await tests.withPasskey();
    for (const user_handle of [null, '']) await expectRejected(user.device.get(await tests.begin(), { user_handle }));
    expect((await lastLogin()).metadata).toMatchObject({ reason: 'verification' });
  });

  it('401 for the challenge of a registration, which is consumed', async () => {
    const user = await tests.withPasskey();
    const adding = (await beginAdding(user.browser)) as { challenge: string };
    const { challenge } = adding;
    const { rows } = await expectRejected(user.device.get({ rpId: 'localhost', challenge }));
    expect(rows).toEqual({ audit_events: 1, passkey_challenges: 1, sessions: 0 });
    expect((await lastLogin()).metadata).toMatchObject({ reason: 'challenge' });
    const answer = await user.browser.post('/users/me/passkeys/register/complete', {
      credential: createAuthenticator().create(adding),
    });
    expect(answer.status).toBe(400);
  });

  it('401 for a removed passkey', async () => {
    const user = await tests.withPasskey();
    const credential = user.device.get(await tests.begin(user.email));
    await user.browser.delete(`/users/me/passkeys/${user.passkey_id}`);
    await expectRejected(credential);
    expect((await lastLogin()).metadata).toEqual({ reason: 'unknown' });
  });

  it.each(['disabled', 'deleted'] as const)('401 for an account that is %s', async (status) => {
    const user = await tests.withPasskey();
    await setUser(tests.app, user.user_id, { status });
    await expectRejected(user.device.get(await tests.begin()));
    expect((await lastLogin()).metadata).toEqual({ reason: 'account', passkey_id: user.passkey_id });
    expect(await tests.findPasskey(user.passkey_id)).toMatchObject({ last_used_at: null });
  });
});

describe('the signature counter', () => {
  const warnings = () => tests.app.logs.filter(({ msg }) => String(msg).includes('went backwards'));

  it('401 if the signature counter decreases or stays equal, audited and logged, without a change', async () => {
    const user = await tests.withPasskey();
    expect((await tests.signIn(user, { counter: 9 })).status).toBe(200);
    for (const counter of [9, 8, 0]) {
      const before = warnings().length;
      await expectRejected(user.device.get(await tests.begin(user.email), { counter }));
      expect((await lastLogin()).metadata).toEqual({ reason: 'counter', passkey_id: user.passkey_id });
      expect(warnings().slice(before)).toMatchObject([
        { level: 40, passkey_id: user.passkey_id, user_id: user.user_id, request_id: expect.any(String) },
      ]);
    }
    expect((await tests.findPasskey(user.passkey_id)).sign_count).toBe(9);
    expect((await tests.signIn(user, { counter: 10 })).status).toBe(200);
    expect((await tests.signIn(user, { counter: 2 ** 32 - 1 })).status).toBe(200);
  });

  it('is checked after the signature, so that only the owner of the key can cause the warning', async () => {
    const user = await tests.withPasskey();
    await tests.signIn(user, { counter: 9 });
    const before = warnings().length;
    const signs_with = createAuthenticator();
    await expectRejected(user.device.get(await tests.begin(user.email), { counter: 3, signs_with }));
    expect((await lastLogin()).metadata).toMatchObject({ reason: 'verification' });
    expect(warnings()).toHaveLength(before);
  });
});

describe('a challenge that was not issued here, or has expired', () => {
  it('401 for a challenge that this service did not issue or that has expired, and nothing is written', async () => {
    const user = await tests.withPasskey();
    const made = [randomBytes(49), randomBytes(32), randomBytes(4), Buffer.alloc(49)];
    for (const challenge of [...made.map((bytes) => bytes.toString('base64url')), '', 'x'.repeat(3000), '\u0000']) {
      const { rows } = await expectRejected(user.device.get({ rpId: 'localhost', challenge }));
      expect(rows).toEqual({ audit_events: 0, passkey_challenges: 0, sessions: 0 });
    }
  });

  it('a challenge is valid until a second before its expiry', async () => {
    const user = await tests.withPasskey();
    const [inTime, late] = [await tests.begin(user.email), await tests.begin(user.email)];
    tests.app.clock.advance(299);
    expect((await tests.complete(user.device.get(inTime))).status).toBe(200);
    tests.app.clock.advance(1);
    const { rows } = await expectRejected(user.device.get(late));
    expect(rows).toEqual({ audit_events: 0, passkey_challenges: 0, sessions: 0 });
  });

  it('a challenge in another encoding is rejected and does not consume the original', async () => {
    const user = await tests.withPasskey();
    const options = (await tests.begin(user.email)) as { challenge: string };
    for (const challenge of [`${options.challenge}=`, `${options.challenge} `, options.challenge.replace(/.$/, '*')]) {
      await expectRejected(user.device.get({ ...options, challenge }));
    }
    expect((await tests.complete(user.device.get(options))).status).toBe(200);
  });
});

describe('malformed credentials', () => {
  const bytes = (...values: number[]) => Buffer.from(values).toString('base64url');
  const withResponse = (changes: Record<string, unknown>) => (credential: GivenCredential) => ({
    ...credential,
    response: { ...credential.response, ...changes },
  });
  const withClientData = (text: string) => withResponse({ clientDataJSON: Buffer.from(text).toString('base64url') });
  const withExtra = (flags: number, extra: Buffer) => (credential: GivenCredential) => {
    const data = Buffer.from(credential.response.authenticatorData as string, 'base64url');
    data[32] = flags;
    return withResponse({ authenticatorData: Buffer.concat([data, extra]).toString('base64url') })(credential);
  };

  const cases: [string, (credential: GivenCredential) => unknown][] = [
    ['nothing', () => ({})],
    ['only an id', ({ id }) => ({ id })],
    ['no response', (credential) => ({ ...credential, response: undefined })],
    ['a response that is null', (credential) => ({ ...credential, response: null })],
    ['a response that is a string', (credential) => ({ ...credential, response: 'x' })],
    ['a response that is a list', (credential) => ({ ...credential, response: [] })],
    ['a response by prototype', ({ response, ...credential }) => ({ ...credential, ['__proto__']: { response } })],
    ['no type', (credential) => ({ ...credential, type: undefined })],
    ['another type', (credential) => ({ ...credential, type: 'password' })],
    ['no id', (credential) => ({ ...credential, id: undefined })],
    ['no raw id', (credential) => ({ ...credential, rawId: undefined })],
    ['an id that is a number', (credential) => ({ ...credential, id: 1, rawId: 1 })],
    ['an id that is an object', (credential) => ({ ...credential, id: {}, rawId: {} })],
    ['an id with NUL', (credential) => ({ ...credential, id: '\u0000', rawId: '\u0000' })],
    ['an id with a lone surrogate', (credential) => ({ ...credential, id: '\ud800', rawId: '\ud800' })],
    ['an id in another alphabet', (credential) => ({ ...credential, id: '+/+/', rawId: '+/+/' })],
    ['an id with padding', ({ id, ...credential }) => ({ ...credential, id: `${id}=`, rawId: `${id}=` })],
    [
      'an id of half a megabyte',
      (credential) => ({ ...credential, id: 'A'.repeat(500_000), rawId: 'A'.repeat(500_000) }),
    ],
    ['client data that is a number', withResponse({ clientDataJSON: 7 })],
    ['client data that is not JSON', withClientData('{')],
    ['client data that says null', withClientData('null')],
    ['client data that is a list', withClientData('[1]')],
    ['client data that is a string', withClientData('"x"')],
    ['empty client data', withResponse({ clientDataJSON: '' })],
    ['client data with invalid UTF-8', withResponse({ clientDataJSON: bytes(0xff, 0xfe, 0x7b, 0x7d) })],
    ['deeply nested client data', withClientData('['.repeat(2000) + ']'.repeat(2000))],
    ['client data of half a megabyte', withClientData(' '.repeat(400_000))],
    ['a challenge that is a number', withClientData('{"type":"webauthn.get","challenge":7}')],
    ['a challenge that is an object', withClientData('{"type":"webauthn.get","challenge":{"length":1}}')],
    ['a challenge by prototype', withClientData('{"__proto__":{"challenge":"AAAA"}}')],
    ['authenticator data that is null', withResponse({ authenticatorData: null })],
    ['authenticator data that is an object', withResponse({ authenticatorData: { length: 99 } })],
    ['authenticator data of 36 bytes', withResponse({ authenticatorData: Buffer.alloc(36).toString('base64url') })],
    ['authenticator data of half a megabyte', withResponse({ authenticatorData: 'A'.repeat(500_000) })],
    ['authenticator data with trailing bytes', withExtra(0x05, Buffer.alloc(3))],
    ['extensions within extensions', withExtra(0x85, Buffer.alloc(3000, 0x81))],
    ['tags within tags', withExtra(0x85, Buffer.alloc(3000, 0xc1))],
    ['extensions of huge length', withExtra(0x85, Buffer.from('bbffffffffffffffff', 'hex'))],
    ['a list of huge length', withExtra(0x85, Buffer.from('9b7fffffffffffffff', 'hex'))],
    ['text of huge length', withExtra(0x85, Buffer.from('7bffffffffffffffff', 'hex'))],
    ['extensions that are missing', withExtra(0x85, Buffer.alloc(0))],
    ['extensions that are a number', withExtra(0x85, Buffer.of(1))],
    ['extensions by prototype', withExtra(0x85, Buffer.from('a1695f5f70726f746f5f5fa16161f5', 'hex'))],
    ['a missing attested credential', withExtra(0x45, Buffer.alloc(0))],
    ['a truncated attested credential', withExtra(0x45, Buffer.alloc(18, 0xff))],
    ['a signature that is a list', withResponse({ signature: [1, 2, 3] })],
    ['a signature of half a megabyte', withResponse({ signature: 'A'.repeat(500_000) })],
    ['a signature with a huge number', withResponse({ signature: bytes(0x30, 0x84, 0xff, 0xff, 0xff, 0xff) })],
    ['a signature of zeroes', withResponse({ signature: bytes(0x30, 6, 2, 1, 0, 2, 1, 0) })],
    ['a user handle that is an object', withResponse({ userHandle: {} })],
    ['a user handle that is true', withResponse({ userHandle: true })],
    ['fifteen thousand fields', () => Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`f${i}`, i]))],
  ];
  it.each(cases)('401 for %s', async (_name, bend) => {
    const user = await shared();
    await expectRejected(bend(user.device.get(await tests.begin(user.email))));
  });

  it('401 for lists nested as deep as a body allows', async () => {
    const deep = '['.repeat(990) + ']'.repeat(990);
    for (const credential of [`{"response":${deep}}`, `{"id":${deep},"rawId":"x","response":{}}`]) {
      const answer = await createBrowser(tests.app).post(
        '/auth/passkey/login/complete',
        `{"credential":${credential}}`,
      );
      expect(answer.status).toBe(401);
    }
  });

  it('cause no server error and do not affect the next sign-in', async () => {
    expect(tests.app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    const user = await shared();
    expect((await tests.signIn(user)).status).toBe(200);
  });

  let keyholder: ReturnType<PasskeyTests['withPasskey']> | undefined;
  const shared = () => {
    keyholder ??= tests.withPasskey();
    return keyholder;
  };
});

describe('indistinguishable responses', () => {
  it('failed sign-ins with the id of a real passkey and of a decoy get the same bytes, statements and number of rows', async () => {
    const [user, disabled] = [await tests.withPasskey(), await tests.withPasskey()];
    await setUser(tests.app, disabled.user_id, { status: 'disabled' });
    const without = await registerUser(tests.app);
    const outsider = createAuthenticator();
    const seen = [];
    for (const email of [user.email, newEmail('unknown'), without.email, disabled.email]) {
      const options = (await tests.begin(email)) as { allowCredentials: { id: string }[] };
      const credential_id = Buffer.from(options.allowCredentials[0]!.id, 'base64url');
      const credential = outsider.get(options, { credential_id });
      const { result, statements } = await tests.recorded(() => expectRejected(credential));
      seen.push({ ...result, statements: statements.filter((text) => !text.startsWith('select count(*)')) });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]!.rows).toEqual({ audit_events: 1, passkey_challenges: 1, sessions: 0 });
    expect(seen[0]!.statements).toHaveLength(3);
  });
});

describe('failed passkey sign-ins from one client address', () => {
  it('failed sign-ins over the limit of a client address: the same 401 and no more audit rows; a valid passkey is accepted', async () => {
    const few = await startPasskeys({ environment: { LIMIT_PASSKEY_PER_ADDRESS: '5/1h' } });
    const user = await few.withPasskey();
    const wrong = () => few.signIn(user, { signature: (right) => right.reverse() });
    for (let index = 0; index < 5; index++) expect((await wrong()).status).toBe(401);
    const tables = ['audit_events', 'rate_counters', 'sessions'] as const;
    const { result, rows } = await countingRows(few.app, tables, wrong);
    expect(result.status).toBe(401);
    expect(rows).toEqual({ audit_events: 0, rate_counters: 0, sessions: 0 });
    expect((await few.signIn(user)).status).toBe(200);
    few.app.clock.advance(3600);
    await wrong();
    expect(await few.loginsOf(user.user_id)).toHaveLength(7);
    await few.app.close();
  });
});
