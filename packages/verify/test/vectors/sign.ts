import { createHash, createHmac, createPrivateKey, createPublicKey, type JsonWebKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { VectorVerdict } from './format.ts';

export const ISSUER = 'https://id.example.com';
export const AUDIENCE = 'https://api.example.com';
export const START = Date.parse('2026-01-01T00:00:00.000Z');
export const SECOND = START / 1000;

export const FOLDER = join(import.meta.dirname, '../../vectors');

type TestJwk = JsonWebKey & { readonly kid: string };
const stored = JSON.parse(readFileSync(join(FOLDER, 'test-keys.json'), 'utf8')) as { keys: TestJwk[] };
const privateJwk = (kid: string): TestJwk => stored.keys.find((key) => key.kid === kid)!;

export const KEY = 'test-key-1';
export const NEXT_KEY = 'test-key-2';
export const UNPUBLISHED_KEY = 'test-key-unpublished';
export const SMALL_KEY = 'test-key-1024-bits';
export const APPLICATION_KEY = 'test-key-of-applications';

export const publicJwk = (kid: string, changes: object = {}): object => {
  const { kty, n, e } = privateJwk(kid);
  return { kty, n, e, use: 'sig', alg: 'RS256', kid, ...changes };
};

/** Returns a UUID derived from a name, so that the vectors are the same in every run. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const ADA = { sub: uuidOf('user ada'), org: uuidOf('organization'), sid: uuidOf('session of ada') };

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of a user's token, issued 60 seconds before the start. A claim that is `undefined` is left out. */
export const claimsOf = (changes: Claims = {}): Claims => ({
  sub: ADA.sub,
  org: ADA.org,
  email: 'ada@example.com',
  email_verified: true,
  jti: uuidOf('token of ada'),
  sid: ADA.sid,
  aal: 'aal1',
  auth_time: SECOND - 600,
  auth_method: 'password',
  role: 'member',
  perms: ['invoices.read'],
  perms_at: START - 60_000,
  iss: ISSUER,
  iat: SECOND - 60,
  exp: SECOND + 840,
  typ: 'access',
  ...changes,
});

export const grantClaimsOf = (changes: Claims = {}): Claims => ({
  iss: `${ISSUER}/oauth`,
  aud: AUDIENCE,
  client_id: 'client-of-the-vectors',
  scope: 'openid invoices.read offline_access',
  sub: ADA.sub,
  org: ADA.org,
  sid: uuidOf('grant of ada'),
  auth_time: SECOND - 600,
  acr: 'aal1',
  jti: uuidOf('token of the application'),
  iat: SECOND - 60,
  exp: SECOND + 840,
  ...changes,
});

export const encode = (part: unknown): string =>
  (Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part))).toString(
    'base64url',
  );

interface Signing {
  readonly key?: string;
  readonly header?: Claims;
}

/** Signs a payload: claims, or the exact text or bytes. */
export function signToken(payload: unknown = claimsOf(), { key = KEY, header = {} }: Signing = {}): string {
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: key, ...header })}.${encode(payload)}`;
  const privateKey = createPrivateKey({ key: privateJwk(key), format: 'jwk' });
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
}

/** Algorithm confusion attack: signs with HS256 and the public key as secret. */
export function signWithPublicKey(): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', kid: KEY })}.${encode(claimsOf())}`;
  const secret = createPublicKey({ key: privateJwk(KEY), format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export const signGrant = (changes: Claims = {}, header: Claims = {}): string =>
  signToken(grantClaimsOf(changes), { key: APPLICATION_KEY, header: { typ: 'at+jwt', ...header } });

const scopesOf = (scope: unknown): string[] | null =>
  typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : null;

const sessionOf = (claims: Claims, rest: Claims): VectorVerdict => ({
  session: {
    user_id: String(claims.sub).toLowerCase(),
    organization_id: String(claims.org).toLowerCase(),
    session_id: String(claims.sid).toLowerCase(),
    token_id: String(claims.jti).toLowerCase(),
    email: null,
    email_verified: false,
    auth_time: claims.auth_time,
    issued_at: claims.iat,
    expires_at: claims.exp,
    scopes: scopesOf(claims.scope),
    ...rest,
  },
});

export const accepted = (changes: Claims = {}): VectorVerdict => {
  const claims = claimsOf(changes);
  return sessionOf(claims, {
    email: claims.email ?? null,
    email_verified: claims.email !== undefined && claims.email_verified === true,
    aal: claims.aal,
    auth_method: claims.auth_method,
    role: claims.role ?? null,
    permissions: claims.perms_omitted === true ? null : (claims.perms ?? null),
    client_id: null,
  });
};

const STANDARD_SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'];

export const acceptedGrant = (changes: Claims = {}): VectorVerdict => {
  const claims = grantClaimsOf(changes);
  return sessionOf(claims, {
    aal: claims.acr,
    auth_method: 'application',
    role: null,
    permissions: scopesOf(claims.scope)!.filter((scope) => !STANDARD_SCOPES.includes(scope)),
    client_id: claims.client_id,
  });
};

export const refused = (code: string): VectorVerdict => ({ refused: code });

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An API key with a right checksum, derived from a name. */
export function apiKeyOf(name: string): string {
  const bytes = createHash('sha512').update(name).digest();
  const random = Array.from(bytes.subarray(0, 55), (byte) => BASE62[byte % 62]).join('');
  const text = `gth_${random.slice(0, 12)}_${random.slice(12)}`;
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return text + digits;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
