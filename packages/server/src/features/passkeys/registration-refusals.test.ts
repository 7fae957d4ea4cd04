import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addPasskey,
  beginAdding,
  beginSigningIn,
  cbor,
  createAuthenticator,
  type GivenCredential,
  type Tampering,
} from '../../../test/authenticator.ts';
import { newEmail, registerUser } from '../../../test/browser.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

const COMPLETE = '/users/me/passkeys/register/complete';
const NO_PASSKEY = 'credential: is not a new passkey that was created at http://localhost:8080 with user verification';
const BLANK = 'name: must not be blank or contain control characters or invalid Unicode';

const cose = (fields: Record<number, unknown>): Buffer =>
  cbor(new Map(Object.entries(fields).map(([label, value]) => [Number(label), value])));

/** The generator of P-256, a valid point. */
const X = Buffer.from('6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296', 'hex');
const Y = Buffer.from('4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5', 'hex');
const POINT = { 1: 2, 3: -7, [-1]: 1, [-2]: X, [-3]: Y };

const rsa = (n: Buffer, e = Buffer.of(1, 0, 1)): Buffer => cose({ 1: 3, 3: -257, [-1]: n, [-2]: e });

describe('POST /users/me/passkeys/register/complete, validation', () => {
  it('accepts a public key that is a valid point on the curve', async () => {
    const user = await registerUser(tests.app);
    expect((await addPasskey(user.browser, createAuthenticator(), { public_key: cose(POINT) })).status).toBe(201);
  });

  it.each([
    ['no credential', {}, 'credential: is required'],
    ['null', { credential: null }, 'credential: must be an object'],
    ['a string', { credential: 'x' }, 'credential: must be an object'],
    ['a list', { credential: [] }, 'credential: must be an object'],
    ['nothing in it', { credential: {} }, 'credential: has no client data with a challenge'],
    ['an empty name', { credential: {}, name: '' }, 'name: must be 1 to 120 characters'],
    ['a blank name', { credential: {}, name: ' ' }, BLANK],
    ['a long name', { credential: {}, name: 'x'.repeat(121) }, 'name: must be 1 to 120 characters'],
    ['NUL in the name', { credential: {}, name: 'a\u0000b' }, BLANK],
    ['a number as name', { credential: {}, name: 7 }, 'name: must be a string'],
  ])('400 for %s', async (_name, body, message) => {
    const user = await registerUser(tests.app);
    const answer = await user.browser.post(COMPLETE, body);
    await tests.expectNotAdded(user, answer, 400, 'invalid_input');
    expect(answer.json.error.message).toBe(message);
  });

  it('401 mfa_required before the body is validated', async () => {
    const user = await registerUser(tests.app);
    tests.app.clock.advance(15 * 60 + 1);
    await user.browser.post('/auth/refresh');
    const answer = await user.browser.post(COMPLETE, {});
    await tests.expectNotAdded(user, answer, 401, 'mfa_required');
  });

  const untrue: [string, Tampering][] = [
    ['another origin', { origin: 'http://localhost:8081' }],
    ['another scheme', { origin: 'https://localhost:8080' }],
    ['another relying party', { rpId: 'example.com' }],
    ['the type of the other ceremony', { type: 'webauthn.get' }],
    ['a cross-origin frame', { crossOrigin: true }],
    ['a cross-origin frame with its top origin', { crossOrigin: true, topOrigin: 'https://example.com' }],
    ['no user presence', { user_present: false }],
    ['no user verification', { user_verified: false }],
    ['impossible backup flags', { backup_flags: { eligible: false, state: true } }],
    [
      'an algorithm that was not offered',
      { public_key: cose({ 1: 2, 3: -35, [-1]: 2, [-2]: Buffer.alloc(48), [-3]: Buffer.alloc(48) }) },
    ],
    [
      'a point that is not on the curve',
      { public_key: cose({ 1: 2, 3: -7, [-1]: 1, [-2]: Buffer.alloc(32, 1), [-3]: Buffer.alloc(32, 2) }) },
    ],
    ['the algorithm of another kind of key', { public_key: cose({ ...POINT, 3: -257 }) }],
    ['the curve of another algorithm', { public_key: cose({ ...POINT, 3: -8 }) }],
    ['a coordinate with a leading zero', { public_key: cose({ ...POINT, [-2]: Buffer.concat([Buffer.of(0), X]) }) }],
    ['a coordinate that is a list', { public_key: cose({ ...POINT, [-2]: [...X] }) }],
    ['a key without coordinates', { public_key: cose({ 1: 2, 3: -7 }) }],
    ['an RSA key that can be factored', { public_key: rsa(Buffer.alloc(128, 255)) }],
    ['an RSA key with leading zeros', { public_key: rsa(Buffer.concat([Buffer.alloc(250), Buffer.alloc(6, 255)])) }],
    ['an RSA key with an even modulus', { public_key: rsa(Buffer.alloc(256, 254)) }],
    ['an RSA key that is too long', { public_key: rsa(Buffer.alloc(1024, 255)) }],
    ['an RSA key with exponent 1', { public_key: rsa(Buffer.alloc(256, 255), Buffer.of(1)) }],
    ['an RSA key with a long exponent', { public_key: rsa(Buffer.alloc(256, 255), Buffer.alloc(8, 255)) }],
    ['a key that is a list', { public_key: cbor([1, 2, 3]) }],
    ['a key that is no CBOR', { public_key: Buffer.from([0xff]) }],
    ['no key at all', { public_key: Buffer.alloc(0) }],
    ['bytes left over', { public_key: Buffer.concat([cose({ 1: 2 }), Buffer.alloc(9)]) }],
    ['an empty id', { credential_id: Buffer.alloc(0) }],
    ['an id of 1024 bytes', { credential_id: Buffer.alloc(1024, 1) }],
  ];
  it.each(untrue)('400 for %s; the challenge is consumed', async (_name, tampering) => {
    const user = await registerUser(tests.app);
    const device = createAuthenticator();
    const options = await beginAdding(user.browser);
    const answer = await user.browser.post(COMPLETE, { credential: device.create(options, tampering) });
    await tests.expectNotAdded(user, answer, 400, 'invalid_input');
    expect(answer.json.error.message).toBe(NO_PASSKEY);
    const again = await user.browser.post(COMPLETE, { credential: device.create(options) });
    await tests.expectNotAdded(user, again, 400, 'invalid_input');
    expect(again.json.error.message).toMatch(/^credential: .*start again$/);
  });

  const responding = (attestationObject: unknown) => (credential: GivenCredential) => ({
    ...credential,
    response: { ...credential.response, attestationObject },
  });
  const broken: [string, (credential: GivenCredential) => unknown][] = [
    ['another type', (credential) => ({ ...credential, type: 'password' })],
    ['no type', (credential) => ({ ...credential, type: undefined })],
    ['an id that is not the raw one', (credential) => ({ ...credential, rawId: 'AAAA' })],
    ['an id that is not the one inside', (credential) => ({ ...credential, id: 'AAAA', rawId: 'AAAA' })],
    ['an id that is a number', (credential) => ({ ...credential, id: 7, rawId: 7 })],
    ['no attestation object', responding(undefined)],
    ['an attestation object that is a list', responding(['oA'])],
    ['an empty attestation object', responding('')],
    ['an attestation object without entries', responding('oA')],
    ['an attestation object that is 0', responding('AA')],
    ['lists within lists', responding(Buffer.alloc(16_000, 0x81).toString('base64url'))],
    ['a list of declared huge length', responding('m___________')],
    ['more than any authenticator sends', responding('A'.repeat(500_000))],
  ];
  it.each(broken)('400 for a malformed credential: %s', async (_name, bend) => {
    const user = await registerUser(tests.app);
    const credential = createAuthenticator().create(await beginAdding(user.browser));
    const answer = await user.browser.post(COMPLETE, { credential: bend(credential) });
    await tests.expectNotAdded(user, answer, 400, 'invalid_input');
    expect(answer.json.error.message).toBe(NO_PASSKEY);
  });

  it('409 for a decoy id of `login/begin`, so that the response does not reveal which ids are real', async () => {
    const real = await tests.withPasskey();
    for (const email of [real.email, ...Array.from({ length: 12 }, () => newEmail('nobody'))]) {
      const options = (await beginSigningIn(tests.app, email)) as { allowCredentials: { id: string }[] };
      for (const { id } of options.allowCredentials) {
        const user = await registerUser(tests.app);
        const device = createAuthenticator({ credential_id: Buffer.from(id, 'base64url') });
        const credential = device.create(await beginAdding(user.browser));
        const answer = await user.browser.post(COMPLETE, { credential });
        await tests.expectNotAdded(user, answer, 409, 'conflict');
        // A truncated id is unused, whether the original is real or a decoy.
        const part = createAuthenticator({ credential_id: Buffer.from(id, 'base64url').subarray(0, -1) });
        expect((await addPasskey(user.browser, part)).status).toBe(201);
      }
    }
  });
});
