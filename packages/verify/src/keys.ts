import { base64url, type CryptoKey, compactVerify, importJWK } from 'jose';
import { createDocument, membersOf } from './document.ts';
import { age, later, type Moment, now } from './moment.ts';
import { nodeCrypto } from './node-crypto.ts';
import type { Settings } from './options.ts';
import { VerifyError } from './verify-error.ts';

/** A public key of the service. */
export interface Key {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  /** Whether this key has signed the token, which must have the form of a JWT with the algorithm RS256. */
  hasSigned(token: string): boolean | Promise<boolean>;
  /** Whether the key set no longer contains the key: its signatures are then no longer accepted. */
  retired: boolean;
}

interface Keys {
  /** Returns a known key synchronously, otherwise fetches the key set. Rejects with a VerifyError. */
  find(kid: string): Key | Promise<Key>;
  ready(): Promise<void>;
  close(): void;
}

/** A new key is published ten minutes before it signs, so verifiers know it in time. */
const POLL_INTERVAL_MS = 60_000;
/** Minimum interval of requests for unknown key ids, so that invented ids do not cause a flood of them. */
const COOL_DOWN_MS = 5_000;
/** Minimum interval of requests for unknown key ids while the service cannot be reached. */
const RETRY_MS = 1_000;
const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

export function createKeys({ address, audience, fetch }: Pick<Settings, 'address' | 'audience' | 'fetch'>): Keys {
  const closing = new AbortController();
  let keys = new Map<string, Key>();
  let inFlight: Promise<void> | undefined;
  let lastTry: { readonly started: Moment; readonly failure?: unknown } | undefined;
  let cancelTimer = (): void => {};

  const document = createDocument(
    {
      // Tokens of applications have keys of their own.
      url: () => `${address}${audience === undefined ? '/.well-known/jwks.json' : '/oauth/jwks.json'}`,
      fetch,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal: closing.signal,
    },
    async (body) => {
      const next = await readKeySet(body, keys);
      for (const key of keys.values()) key.retired = next.get(key.kid) !== key;
      keys = next;
    },
  );

  /** Shared by all callers. Never rejects; a failure is stored in `lastTry`. */
  const refresh = (): Promise<void> => {
    if (closing.signal.aborted) return Promise.resolve();
    cancelTimer();
    const started = now();
    inFlight ??= document.update().then(
      () => settle({ started }),
      (failure) => settle({ started, failure }),
    );
    return inFlight;
  };

  const settle = (result: typeof lastTry & object): void => {
    lastTry = result;
    inFlight = undefined;
    if (!closing.signal.aborted) cancelTimer = later('failure' in result ? COOL_DOWN_MS : POLL_INTERVAL_MS, refresh);
  };

  const hasFailed = () => lastTry !== undefined && 'failure' in lastTry;
  const isTooSoon = () =>
    inFlight === undefined && lastTry !== undefined && age(lastTry.started) < (hasFailed() ? RETRY_MS : COOL_DOWN_MS);
  const unreachable = () =>
    new VerifyError('service_unreachable', "the service's keys could not be fetched", { cause: lastTry?.failure });

  const search = async (kid: string): Promise<Key> => {
    if (!isTooSoon()) await refresh();
    const key = keys.get(kid);
    if (key) return key;
    throw hasFailed()
      ? unreachable()
      : new VerifyError('token_invalid', 'the token was signed with an unknown key (kid)');
  };

  return {
    find: (kid) => keys.get(kid) ?? search(kid),
    async ready() {
      if (keys.size === 0 && !isTooSoon()) await refresh();
      if (keys.size === 0) throw unreachable();
    },
    close() {
      cancelTimer();
      closing.abort();
    },
  };
}

/** Returns the keys that can sign access tokens; the set may contain others. A known key stays the same object. */
async function readKeySet(body: unknown, known: ReadonlyMap<string, Key>): Promise<Map<string, Key>> {
  const { keys } = membersOf(body);
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  const read = new Map<string, Key>();
  for (const jwk of keys) {
    const { kty, use, alg, kid, n, e } = membersOf(jwk);
    if (kty !== 'RSA' || use !== 'sig' || alg !== 'RS256') continue;
    if (typeof kid !== 'string' || typeof n !== 'string' || typeof e !== 'string') continue;
    const before = known.get(kid);
    const key = before?.n === n && before.e === e ? before : await importKey({ kid, n, e });
    if (key) read.set(kid, key);
  }
  return read;
}

const MIN_KEY_BITS = 2048;

async function importKey({ kid, n, e }: { kid: string; n: string; e: string }): Promise<Key | undefined> {
  const jwk = { kty: 'RSA', n, e } as const;
  const crypto = await importJWK(jwk, 'RS256').catch(() => undefined);
  const bits = (crypto?.algorithm as { modulusLength?: number } | undefined)?.modulusLength ?? 0;
  if (!crypto || bits < MIN_KEY_BITS) return undefined;
  return { kid, n, e, hasSigned: nodeCheck(jwk) ?? webCheck(crypto), retired: false };
}

/** Checks signatures by Web Crypto, in any runtime. */
export const webCheck =
  (key: CryptoKey): Key['hasSigned'] =>
  (token) =>
    compactVerify(token, key, { algorithms: ['RS256'] }).then(
      () => true,
      () => false,
    );

/** Checks signatures by Node's own implementation, without a thread; undefined in other runtimes. */
function nodeCheck(jwk: object): Key['hasSigned'] | undefined {
  if (!nodeCrypto) return undefined;
  const { verify } = nodeCrypto;
  const key = nodeCrypto.createPublicKey({ key: jwk, format: 'jwk' });
  const encoder = new TextEncoder();
  return (token) => {
    const end = token.lastIndexOf('.');
    return verify('RSA-SHA256', encoder.encode(token.slice(0, end)), key, base64url.decode(token.slice(end + 1)));
  };
}
