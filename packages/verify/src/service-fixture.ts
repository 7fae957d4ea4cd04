import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  randomInt,
  randomUUID,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { vi } from 'vitest';

export const ISSUER = 'https://id.example.com';

interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

const { keys } = JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/test-keys.json'), 'utf8')) as {
  keys: (JsonWebKey & { readonly kid: string })[];
};

/** Returns a key of the test vectors, because generating a key takes long. */
function readTestKey(kid: string): TestKey {
  const privateKey = createPrivateKey({ key: keys.find((key) => key.kid === kid)!, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid };
  return { kid, privateKey, publicKey, jwk };
}

export const KEY = readTestKey('test-key-1');
export const OTHER_KEY = readTestKey('test-key-2');
export const SMALL_KEY = readTestKey('test-key-1024-bits');

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

export const claimsNow = (): Record<string, unknown> => {
  const iat = Math.floor(Date.now() / 1000);
  const ids = { sub: randomUUID(), org: randomUUID(), sid: randomUUID(), jti: randomUUID() };
  const about = {
    email: 'ada@example.com',
    email_verified: true,
    aal: 'aal1',
    auth_time: iat,
    auth_method: 'password',
  };
  return { iss: ISSUER, ...ids, ...about, iat, exp: iat + 900, typ: 'access' };
};

interface Signing {
  readonly key?: TestKey;
  readonly header?: Record<string, unknown>;
}

/** Returns a token as the service issues it, with the given claims replaced. `undefined` removes a claim. */
export function signToken(given: Record<string, unknown> = {}, { key = KEY, header = {} }: Signing = {}): string {
  const head = encode({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header });
  const text = `${head}.${encode({ ...claimsNow(), ...given })}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key.privateKey).toString('base64url')}`;
}

export interface Revoked {
  sid: string;
  revoked_at: string;
  expires_at: string;
}

export const revocation = (sid: unknown, { revoked = 0, expires = 900 } = {}): Revoked => ({
  sid: sid as string,
  revoked_at: new Date(Date.now() + revoked * 1000).toISOString(),
  expires_at: new Date(Date.now() + expires * 1000).toISOString(),
});

/** An entry of `refreshes`, for `<org>/<sub>`, `<org>` or `*`. */
export const refresh = (subject: string, { before = Date.now(), expires = 900 } = {}) => ({
  key: createHash('sha256').update(subject).digest('base64url'),
  before,
  expires_at: new Date(Date.now() + expires * 1000).toISOString(),
});
export type Refresh = ReturnType<typeof refresh>;

type Path = 'keys' | 'feed' | 'session' | 'exchange' | 'discovery';
const PATHS: Record<string, Path> = {
  '/.well-known/jwks.json': 'keys',
  '/.well-known/service-revocations.json': 'feed',
  '/.well-known/openid-configuration': 'discovery',
  '/v1/auth/session': 'session',
  '/oauth/token': 'exchange',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns an API key with a right checksum. */
export function createKey(): string {
  const random = (length: number) => Array.from({ length }, () => BASE62[randomInt(62)]).join('');
  const text = `gth_${random(12)}_${random(43)}`;
  let rest = crc32(text);
  const digits = Array.from({ length: 6 }, () => {
    const digit = BASE62[rest % 62];
    rest = Math.floor(rest / 62);
    return digit;
  });
  return text + digits.reverse().join('');
}

/** A `fetch` that returns the documents of a service. Tests set the responses. */
export function createService() {
  const service = {
    keys: [KEY.jwk] as unknown[],
    revocations: [] as Revoked[],
    /** Undefined for the feed of an older service, which has no `refreshes`. */
    refreshes: undefined as Refresh[] | undefined,
    session: undefined as unknown,
    issuer: ISSUER,
    /** Claims of the token that a key is exchanged for. Undefined: all keys are rejected. */
    machine: undefined as Record<string, unknown> | undefined,
    tokenSeconds: 300,
    /** Returns the response to use instead of the usual one; undefined for the usual one. */
    alter: (_path: Path): Response | Promise<Response> | undefined => undefined,
    /** The requests that were sent, each with its If-None-Match tag. */
    asked: [] as { path: Path; url: string; init: RequestInit; tag: string | null; status: number | undefined }[],
    count: (path: Path): number => service.asked.filter((one) => one.path === path).length,
    fetch: (async (url: string, init: RequestInit) => {
      const path = PATHS[new URL(url).pathname]!;
      const tag = new Headers(init.headers).get('if-none-match');
      const one = { path, url, init, tag, status: undefined as number | undefined };
      service.asked.push(one);
      const answer = (await service.alter(path)) ?? usual(path, tag);
      one.status = answer.status;
      return answer;
    }) as typeof fetch,
  };
  const exchanged = (): Response => {
    const { machine, tokenSeconds: expires_in } = service;
    if (!machine) return Response.json({ error: 'invalid_client' }, { status: 401 });
    const exp = Math.floor(Date.now() / 1000) + expires_in;
    const about = { email: undefined, email_verified: undefined, auth_method: 'api_key', role: 'machine', exp };
    return Response.json({ access_token: signToken({ ...about, ...machine }), token_type: 'Bearer', expires_in });
  };
  const usual = (path: Path, tag: string | null): Response => {
    if (path === 'session') return Response.json(service.session);
    if (path === 'exchange') return exchanged();
    if (path === 'discovery') return Response.json({ issuer: service.issuer });
    const { keys, revocations, refreshes } = service;
    const part = path === 'keys' ? { keys } : { revocations, ...(refreshes && { refreshes }) };
    const etag = `W/"${createHash('sha256').update(JSON.stringify(part)).digest('base64url')}"`;
    if (tag === etag) return new Response(null, { status: 304, headers: { etag } });
    return Response.json({ generated_at: new Date().toISOString(), ...part }, { headers: { etag } });
  };
  return service;
}

export type Service = ReturnType<typeof createService>;

/** A fetch that never settles and ignores its signal. */
export const hanging = (): Promise<Response> => new Promise(() => {});

export const refused = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

/** From now on, time passes only with `pass`. */
export const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
};

/** Lets pending promises settle while time stands still. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

const STEP_MS = 250;

/** Advances time in small steps, and lets promises settle after each. */
export async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(STEP_MS, milliseconds - passed));
    await settle();
  }
}

/** Waits for work outside the fake timers, such as signatures. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
