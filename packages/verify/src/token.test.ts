import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  claimsNow,
  createService,
  encode,
  ISSUER,
  KEY,
  OTHER_KEY,
  SMALL_KEY,
  signToken,
  stopTime,
} from './service-fixture.ts';
import { createVerifier } from './verifier.ts';
import type { VerifyError } from './verify-error.ts';

let verifier: ReturnType<typeof createVerifier>;
let service: ReturnType<typeof createService>;
beforeEach(() => {
  stopTime();
  service = createService();
  verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch });
});
afterEach(() => {
  verifier.close();
  vi.useRealTimers();
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const verify = (token: unknown) => verifier.verify(token as string);
const refusal = async (token: unknown): Promise<string> => {
  const error: VerifyError = await verify(token).then(
    () => expect.unreachable('it was accepted'),
    (reason) => reason,
  );
  expect(error).toMatchObject({ name: 'VerifyError' });
  if (typeof token === 'string' && token.length > 20)
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(token);
  return error.code;
};

describe('an access token', () => {
  it('becomes a session with all its claims', async () => {
    const roles = { role: 'admin', perms: ['invoices.read'], perms_at: Date.now() };
    const claims = { ...claimsNow(), ...roles } as unknown as Record<string, string> & { iat: number; exp: number };
    expect(await verify(signToken(claims))).toEqual({
      user_id: claims.sub,
      organization_id: claims.org,
      session_id: claims.sid,
      token_id: claims.jti,
      email: 'ada@example.com',
      email_verified: true,
      aal: 'aal1',
      auth_method: 'password',
      auth_time: new Date(claims.iat * 1000),
      issued_at: new Date(claims.iat * 1000),
      expires_at: new Date(claims.exp * 1000),
      role: 'admin',
      permissions: ['invoices.read'],
    });
  });

  it('has no permissions if it does not contain all, or if the service is older', async () => {
    const permissions = async (claims: Record<string, unknown>) => (await verify(signToken(claims))).permissions;
    expect(await permissions({ perms: [], perms_at: 1 })).toEqual([]);
    expect(await permissions({ perms_omitted: true, perms_at: 1 })).toBeUndefined();
    expect(await permissions({ perms: ['invoices.read'], perms_omitted: true })).toBeUndefined();
    expect(await permissions({})).toBeUndefined();
  });

  it('has a verified email only if email_verified is true', async () => {
    const verified = async (claims: Record<string, unknown>) => (await verify(signToken(claims))).email_verified;
    expect(await verified({ email_verified: true })).toBe(true);
    expect(await verified({ email_verified: false })).toBe(false);
    // Services before 0.2 issue tokens without this claim.
    expect(await verified({ email_verified: undefined })).toBe(false);
    expect(await verified({ email_verified: true, email: undefined })).toBe(false);
  });

  it('may have no email, and an auth_method and a role of a later version', async () => {
    expect(await verify(signToken({ email: undefined, auth_method: 'magic', role: 'machine' }))).toMatchObject({
      email: undefined,
      auth_method: 'magic',
      role: 'machine',
    });
  });

  it('verifying a token returns a new session object to each caller', async () => {
    const token = signToken();
    const first = await verify(token);
    first.auth_time.setTime(0);
    expect((await verify(token)).auth_time.getTime()).toBeGreaterThan(0);
  });

  it('shares its permissions between callers, and none of them can change the list', async () => {
    const { permissions } = await verify(signToken({ perms: [] }));
    expect(() => (permissions as string[]).push('invoices.read')).toThrow(TypeError);
  });
});

describe('a forged token', () => {
  it.each<[string, () => unknown]>([
    ['alg none', () => `${encode({ alg: 'none', kid: KEY.kid })}.${encode(claimsNow())}.`],
    ['alg none and a signature', () => `${encode({ alg: 'none', kid: KEY.kid })}.${encode(claimsNow())}.AAAA`],
    [
      'HS256 with the public key as secret',
      () => {
        const text = `${encode({ alg: 'HS256', kid: KEY.kid })}.${encode(claimsNow())}`;
        const secret = KEY.publicKey.export({ type: 'spki', format: 'pem' });
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      },
    ],
    ['RS384', () => signToken({}, { header: { alg: 'RS384' } })],
    ['another key under a known kid', () => signToken({}, { key: { ...OTHER_KEY, kid: KEY.kid } })],
    ['an unknown kid', () => signToken({}, { key: OTHER_KEY })],
    ['__proto__ as kid', () => signToken({}, { header: { kid: '__proto__' } })],
    ['no kid', () => signToken({}, { header: { kid: undefined } })],
    [
      'its own key in the header',
      () => signToken({}, { key: OTHER_KEY, header: { kid: undefined, jwk: OTHER_KEY.jwk } }),
    ],
    ['crit', () => signToken({}, { header: { crit: ['exp'] } })],
    ['an altered claim', () => signToken().replace(/\.[^.]+\./, `.${encode({ ...claimsNow(), aal: 'aal2' })}.`)],
    ['a fourth part', () => `${signToken()}.AAAA`],
    ['only two parts', () => signToken().split('.').slice(0, 2).join('.')],
    ['a signature with stray bits', () => signToken().replace(/.$/, (last) => LETTERS[LETTERS.indexOf(last) ^ 1]!)],
    ['a base64 signature', () => signToken().replace(/..$/, '+/')],
    ['a line break', () => `${signToken()}\n`],
    ['a header that is not JSON', () => `AAAA.${encode(claimsNow())}.AAAA`],
    ['a header that is null', () => `${encode('null')}.${encode(claimsNow())}.AAAA`],
    ['a payload that is a list', () => signToken().replace(/\.[^.]+\./, `.${encode([])}.`)],
    [
      'a payload that is not UTF-8',
      () => signToken().replace(/\.[^.]+\./, `.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.`),
    ],
    ['more than 4096 characters', () => signToken({ email: 'a'.repeat(4096) })],
    ['10 million characters', () => 'a.'.repeat(5_000_000)],
  ])('is rejected: %s', async (_, forge) => {
    await verifier.ready();
    expect(await refusal(forge())).toBe('token_invalid');
  });

  it.each([undefined, null, '', 7, {}, []])('a value that is not a token is rejected: %j', async (token) => {
    expect(await refusal(token)).toMatch(/^token_(missing|invalid)$/);
  });

  it('a token that the service cannot have issued is rejected without a request', async () => {
    await refusal('a.b.c');
    await refusal(signToken({}, { header: { alg: 'PS256' } }));
    await refusal(signToken({}, { header: { crit: ['exp'] } }));
    await refusal(signToken({ iss: 'https://elsewhere.example' }));
    await refusal(signToken({ exp: 1 }));
    expect(service.asked).toEqual([]);
  });
});

describe('validly signed tokens that are rejected', () => {
  it.each<[string, Record<string, unknown>]>([
    ['of another issuer', { iss: 'https://elsewhere.example' }],
    ['with a slash after the issuer', { iss: `${ISSUER}/` }],
    ['without iss', { iss: undefined }],
    ['a refresh token', { typ: 'refresh' }],
    ['an mfa token', { typ: 'mfa' }],
    ['without typ', { typ: undefined }],
    ...['sub', 'org', 'sid', 'jti'].flatMap((claim): [string, Record<string, unknown>][] => [
      [`without ${claim}`, { [claim]: undefined }],
      [`with a ${claim} that is not a UUID`, { [claim]: 'someone' }],
      [`with a list as ${claim}`, { [claim]: [randomUUID()] }],
    ]),
    ['with aud', { aud: 'https://elsewhere.example' }],
    ['with nbf', { nbf: Math.floor(Date.now() / 1000) + 3600 }],
    ['without aal', { aal: undefined }],
    ['with an unknown aal', { aal: 'aal3' }],
    ['without auth_time', { auth_time: undefined }],
    ['without auth_method', { auth_method: undefined }],
    ['with an email that is not a string', { email: 7 }],
    ['with an email_verified that is not a boolean', { email_verified: 'true' }],
    ['with an empty role', { role: '' }],
    ['with a string as perms', { perms: 'invoices.read' }],
    ['with a number in perms', { perms: ['invoices.read', 7] }],
    ['with a perms_omitted that is not true', { perms_omitted: false }],
    ['with a string as perms_at', { perms_at: '99999999999999' }],
    ['with a negative perms_at', { perms_at: -1 }],
    ['with a fraction in perms_at', { perms_at: 1.5 }],
    ['without exp', { exp: undefined }],
    ['with a string as exp', { exp: '99999999999' }],
    ['with an exp beyond the range of Date', { exp: 1e15 }],
    ['with a fraction in exp', { exp: Date.now() / 1000 + 0.5 }],
    ['without iat', { iat: undefined }],
    ['with a future iat', { iat: Math.floor(Date.now() / 1000) + 3600, exp: Math.floor(Date.now() / 1000) + 7200 }],
  ])('a token signed by the service is rejected: %s', async (_, claims) => {
    expect(await refusal(signToken(claims))).toBe('token_invalid');
  });
});

describe('expiry of a token', () => {
  it('a token expires clockSkew seconds after its exp, cached or not', async () => {
    const token = signToken();
    const { expires_at } = await verify(token);
    vi.setSystemTime(expires_at.getTime() + 4_999);
    await verify(token);
    vi.setSystemTime(expires_at.getTime() + 5_000);
    expect(await refusal(token)).toBe('token_expired');
    const fresh = createVerifier({ issuer: ISSUER, fetch: service.fetch });
    await expect(fresh.verify(token)).rejects.toMatchObject({ code: 'token_expired', status: 401 });
    fresh.close();
  });

  it('a token expires at its exp for a verifier that started later, because the feed lists no expired sessions', async () => {
    const token = signToken();
    const { expires_at } = await verify(token);
    vi.setSystemTime(expires_at.getTime() + 1_000);
    const late = createVerifier({ issuer: ISSUER, fetch: service.fetch, clockSkew: 60 });
    await expect(late.verify(token)).rejects.toMatchObject({ code: 'token_expired' });
    await verify(token);
    late.close();
  });

  it('a token expires at its exp if clockSkew is 0', async () => {
    const strict = createVerifier({ issuer: ISSUER, fetch: service.fetch, clockSkew: 0 });
    const token = signToken();
    const { expires_at } = await strict.verify(token);
    vi.setSystemTime(expires_at.getTime() - 1);
    await strict.verify(token);
    vi.setSystemTime(expires_at);
    await expect(strict.verify(token)).rejects.toMatchObject({ code: 'token_expired' });
    strict.close();
  });

  it('a token whose iat is 30 seconds in the future is accepted', async () => {
    const iat = Math.floor(Date.now() / 1000) + 30;
    await verify(signToken({ iat, exp: iat + 900 }));
  });
});

describe('keys', () => {
  it('that cannot sign access tokens are ignored', async () => {
    service.keys = [
      null,
      'key',
      SMALL_KEY.jwk,
      { ...OTHER_KEY.jwk, kid: 'enc', use: 'enc' },
      { ...OTHER_KEY.jwk, kid: 'rs512', alg: 'RS512' },
      { ...OTHER_KEY.jwk, kid: 'none', alg: undefined },
      { ...OTHER_KEY.jwk, kid: 'broken', n: '!' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', use: 'sig', alg: 'RS256' },
      KEY.jwk,
    ];
    await verify(signToken());
    await expect(verify(signToken({}, { key: SMALL_KEY }))).rejects.toThrow('signed with an unknown key');
    for (const kid of ['enc', 'rs512', 'none', 'broken', 'oct']) {
      expect(await refusal(signToken({}, { key: { ...OTHER_KEY, kid } }))).toBe('token_invalid');
    }
  });
});
