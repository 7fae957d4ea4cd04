import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SECRET, useTestApp } from '../../../test/harness.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { rotateSigningKey } from '../endings/ensure-key.ts';
import type { NewAccessToken } from './access-token.ts';
import { signPrivateToken, verifyPrivateToken } from './private-token.ts';

const app = useTestApp();

const ID = '0190f3a0-1111-7222-8333-444455556666';
const CLAIMS: NewAccessToken = {
  sub: ID,
  org: ID,
  sid: ID,
  jti: ID,
  email: 'a@b.de',
  email_verified: true,
  aal: 'aal1',
  auth_time: 1,
  auth_method: 'password',
};
const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());

const times = (session_ends = new Date('2040-01-01T00:00:00Z')) => ({ now: app.clock.now(), session_ends });

describe('§2.2 access tokens', () => {
  it('have every claim and are valid for ACCESS_TOKEN_TTL', async () => {
    const { access_token, expires_in } = await app.deps.accessTokens.issue(CLAIMS, times());
    const [header, payload] = access_token.split('.').map((part, index) => (index < 2 ? decode(part) : part));
    const iat = Math.floor(app.clock.now().getTime() / 1000);
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: app.deps.keys.current()!.kid });
    expect(payload).toEqual({ ...CLAIMS, iss: 'http://localhost:8080', iat, exp: iat + 900, typ: 'access' });
    expect(expires_in).toBe(900);
    expect(app.deps.accessTokens.verify(access_token)).toEqual(payload);
  });

  it('never exceed 3,500 characters: permissions that would make them longer are left out', async () => {
    const perms = Array.from({ length: 12 }, (_, index) => `${'p'.repeat(70)}.x${String(index).padStart(4, '0')}`);
    const fitting = { ...CLAIMS, email: 'a'.repeat(254), perms, perms_at: 1 };
    const long = { ...fitting, email: '\u{1f511}'.repeat(254) };
    for (const [claims, omitted] of [
      [fitting, undefined],
      [long, true],
    ] as const) {
      const { access_token } = await app.deps.accessTokens.issue(claims, times());
      expect(access_token.length).toBeLessThanOrEqual(3500);
      const payload = decode(access_token.split('.')[1]!);
      expect(payload.perms_omitted).toBe(omitted);
      expect(payload.perms).toEqual(omitted ? undefined : perms);
      expect(app.deps.accessTokens.verify(access_token)).toEqual(payload);
    }
  });

  it('access tokens are accepted until a second before their expiry, also when cached', async () => {
    const { access_token } = await app.deps.accessTokens.issue(CLAIMS, times());
    app.clock.advance(899);
    expect(app.deps.accessTokens.verify(access_token)).toBeDefined();
    app.clock.advance(1);
    expect(app.deps.accessTokens.verify(access_token)).toBeUndefined();
  });

  it('a cached token does not validate another one with the same signature', async () => {
    const { access_token } = await app.deps.accessTokens.issue(CLAIMS, times());
    const [header, payload, signature] = access_token.split('.') as [string, string, string];
    const other = encode({ ...decode(payload), sub: '0190f3a0-9999-7222-8333-444455556666' });
    expect(app.deps.accessTokens.verify(access_token)).toBeDefined();
    expect(app.deps.accessTokens.verify(`${header}.${other}.${signature}`)).toBeUndefined();
    expect(app.deps.accessTokens.verify(access_token)).toBeDefined();
  });

  it('access tokens are accepted only with a header and a key of this service', async () => {
    const { access_token } = await app.deps.accessTokens.issue(CLAIMS, times());
    const [header, payload, signature] = access_token.split('.') as [string, string, string];
    const kid = app.deps.keys.current()!.kid;
    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const sign = (text: string) => createSign('RSA-SHA256').update(text).sign(foreign.privateKey).toString('base64url');
    const pem = app.deps.keys.current()!.publicKey.export({ type: 'spki', format: 'pem' });
    const hs = encode({ alg: 'HS256', typ: 'JWT', kid });
    const jwk = encode({ alg: 'RS256', typ: 'JWT', kid, jwk: foreign.publicKey.export({ format: 'jwk' }) });
    const forged = [
      '',
      'x',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}.${signature}=`,
      ` ${access_token}`,
      `${header}.${encode({ ...CLAIMS, typ: 'access', exp: 9e9 })}.${signature}`,
      `${header}.${payload}.${sign(`${header}.${payload}`)}`,
      `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${hs}.${payload}.${createHmac('sha256', pem).update(`${hs}.${payload}`).digest('base64url')}`,
      `${jwk}.${payload}.${sign(`${jwk}.${payload}`)}`,
      `${encode({ alg: 'RS256', typ: 'JWT', kid: 'unknown' })}.${payload}.${signature}`,
      `${encode({ kid, alg: 'RS256', typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${payload}.${`${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`}`,
      'x'.repeat(100_000),
    ];
    for (const token of forged) expect(app.deps.accessTokens.verify(token), token.slice(0, 80)).toBeUndefined();
    expect(app.deps.accessTokens.verify(access_token)).toBeDefined();
  });

  it('access tokens are rejected with a wrong type, issuer or time, even with a valid signature', () => {
    const key = app.deps.keys.current()!;
    const iat = Math.floor(app.clock.now().getTime() / 1000);
    const mint = (changes: object) => {
      const payload = encode({
        ...CLAIMS,
        iss: 'http://localhost:8080',
        iat,
        exp: iat + 60,
        typ: 'access',
        ...changes,
      });
      const text = `${key.header}.${payload}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key.privateKey!).toString('base64url')}`;
    };
    expect(app.deps.accessTokens.verify(mint({}))).toBeDefined();
    for (const changes of [
      { typ: 'refresh' },
      { typ: 'mfa' },
      { typ: undefined },
      { iss: 'http://other' },
      { exp: iat },
    ]) {
      expect(app.deps.accessTokens.verify(mint(changes)), JSON.stringify(changes)).toBeUndefined();
    }
    for (const exp of [undefined, null, 'never', Number.NaN, String(iat + 60), [iat + 60], 1e300]) {
      expect(app.deps.accessTokens.verify(mint({ exp })), String(exp)).toBeUndefined();
    }
  });

  it('are rejected with claims that this service does not write, even with a valid signature', () => {
    const key = app.deps.keys.current()!;
    const iat = Math.floor(app.clock.now().getTime() / 1000);
    const usual = { ...CLAIMS, iss: 'http://localhost:8080', iat, exp: iat + 60, typ: 'access' };
    const mint = (payload: unknown) => {
      const text = `${key.header}.${encode(payload as object)}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key.privateKey!).toString('base64url')}`;
    };
    expect(app.deps.accessTokens.verify(mint({ ...usual, email: undefined }))).toBeDefined();
    // The previous version of the service did not write `email_verified`.
    expect(app.deps.accessTokens.verify(mint({ ...usual, email_verified: undefined }))).toBeDefined();
    expect(app.deps.accessTokens.verify(mint({ ...usual, later: 'claims are welcome' }))).toBeDefined();
    const odd: Record<string, unknown[]> = {
      sid: [undefined, 7, '', [ID], 'someone'],
      jti: [undefined, 'someone'],
      iat: [undefined, -1, 0.5],
      auth_time: [undefined, '1'],
      aal: [undefined, 'aal3'],
      auth_method: [undefined, ''],
      email: [null, 7],
      email_verified: [null, 1, 'true'],
      nbf: [iat, iat + 3600],
      aud: ['https://elsewhere.example', ['http://localhost:8080']],
    };
    for (const [claim, values] of Object.entries(odd)) {
      for (const value of values) {
        const token = mint({ ...usual, [claim]: value });
        expect(app.deps.accessTokens.verify(token), `${claim} ${value}`).toBeUndefined();
        expect(app.deps.accessTokens.sessionOf(token), `${claim} ${value}`).toBeUndefined();
      }
    }
    for (const payload of ['null', '7', '[]', '{', '""']) {
      expect(app.deps.accessTokens.verify(mint(payload)), payload).toBeUndefined();
    }
  });

  it('refresh and MFA tokens are accepted neither as access tokens nor as each other', () => {
    const keyring = createKeyring(SECRET);
    const claims = { sub: ID, jti: ID, iat: 1, exp: 1000 };
    for (const typ of ['refresh', 'mfa'] as const) {
      const token = signPrivateToken(keyring, typ, claims);
      expect(app.deps.accessTokens.verify(token)).toBeUndefined();
      expect(verifyPrivateToken(keyring, typ, token, 999)).toMatchObject(claims);
      expect(verifyPrivateToken(keyring, typ, token, 1000)).toBeUndefined();
      expect(verifyPrivateToken(keyring, typ === 'mfa' ? 'refresh' : 'mfa', token, 999)).toBeUndefined();
      expect(verifyPrivateToken(createKeyring(`${SECRET}x`), typ, token, 999)).toBeUndefined();
      expect(verifyPrivateToken(createKeyring(`${SECRET}x`, SECRET), typ, token, 999)).toBeDefined();
      expect(verifyPrivateToken(keyring, typ, `${token.slice(0, -2)}xx`, 999)).toBeUndefined();
      expect(verifyPrivateToken(keyring, typ, `${token}=`, 999)).toBeUndefined();
    }
  });
});

describe('keys rotate', () => {
  it('publishes the new key before it is used to sign, and keeps the old key until the last token signed by it has expired', async () => {
    const { keys, accessTokens } = app.deps;
    const old = keys.current()!.kid;
    const kids = () => keys.jwks().keys.map(({ kid }) => kid);
    const rotation = await rotateSigningKey(app.deps);
    expect(kids()).toEqual([old, rotation.kid]);
    expect(keys.current()!.kid).toBe(old);
    app.clock.advance(599);
    const last = await accessTokens.issue(CLAIMS, times());
    app.clock.advance(1);
    expect(keys.current()!.kid).toBe(rotation.kid);
    app.clock.advance(898);
    expect(accessTokens.verify(last.access_token)).toBeDefined();
    expect(kids()).toContain(old);
    app.clock.advance(100);
    expect(kids()).toEqual([rotation.kid]);
    expect(accessTokens.verify(last.access_token)).toBeUndefined();
    app.clock.advance(8 * 86400);
    await app.sweeper.pass();
    expect(await app.deps.db.selectFrom('signing_keys').select('kid').execute()).toEqual([{ kid: rotation.kid }]);
  });

  it('tokens, also cached ones, become invalid when their key is no longer published', async () => {
    const { accessTokens, keys, db } = app.deps;
    const { access_token } = await accessTokens.issue(CLAIMS, times());
    expect(accessTokens.verify(access_token)).toBeDefined();
    const { kid } = keys.current()!;
    await db.updateTable('signing_keys').set({ published_until: app.clock.now() }).where('kid', '=', kid).execute();
    await keys.reload();
    expect(accessTokens.verify(access_token)).toBeUndefined();
  });
});
