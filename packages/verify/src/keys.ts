import { type CryptoKey, importJWK } from 'jose';
import { createDocument, membersOf } from './document.ts';
import { age, later, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import { VerifyError } from './verify-error.ts';

/** A public key of the service. */
export interface Key {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly crypto: CryptoKey;
  /** It has gone from the key set: what it vouched for counts no more. */
  retired: boolean;
}

interface Keys {
  /** By its name, at once when it is known. Rejects with a VerifyError. */
  find(kid: string): Key | Promise<Key>;
  /** Resolves when there are keys. */
  ready(): Promise<void>;
  close(): void;
}

/** A new key is published ten minutes before it signs, so nobody needs to wait for it. */
const EVERY = 60_000;
/** So that made-up names of keys make no flood of requests: one look in this time, for all of them. */
const COOL_DOWN = 5_000;
/** The same while the service cannot be reached. */
const RETRY = 1_000;
const MAX_BYTES = 256 * 1024;
const TIMEOUT = 5_000;

export function createKeys({ address, fetch }: Pick<Settings, 'address' | 'fetch'>): Keys {
  const closing = new AbortController();
  let keys = new Map<string, Key>();
  let underWay: Promise<void> | undefined;
  let lastTry: { readonly begun: Moment; readonly failure?: unknown } | undefined;
  let callOff = (): void => {};

  const document = createDocument(
    {
      url: () => `${address}/.well-known/jwks.json`,
      fetch,
      maxBytes: MAX_BYTES,
      timeout: TIMEOUT,
      signal: closing.signal,
    },
    async (body) => {
      const next = await readKeySet(body, keys);
      for (const key of keys.values()) key.retired = next.get(key.kid) !== key;
      keys = next;
    },
  );

  /** One for all who wait. Never rejects: what failed is in `lastTry`. */
  const refresh = (): Promise<void> => {
    if (closing.signal.aborted) return Promise.resolve();
    callOff();
    const begun = now();
    underWay ??= document.update().then(
      () => settle({ begun }),
      (failure) => settle({ begun, failure }),
    );
    return underWay;
  };

  const settle = (result: typeof lastTry & object): void => {
    lastTry = result;
    underWay = undefined;
    if (!closing.signal.aborted) callOff = later('failure' in result ? COOL_DOWN : EVERY, refresh);
  };

  const hasFailed = () => lastTry !== undefined && 'failure' in lastTry;
  const isTooSoon = () =>
    underWay === undefined && lastTry !== undefined && age(lastTry.begun) < (hasFailed() ? RETRY : COOL_DOWN);
  const unreachable = () =>
    new VerifyError('service_unreachable', "the service's keys could not be fetched", { cause: lastTry?.failure });

  const search = async (kid: string): Promise<Key> => {
    if (!isTooSoon()) await refresh();
    const key = keys.get(kid);
    if (key) return key;
    throw hasFailed() ? unreachable() : new VerifyError('token_invalid', 'the token names a key that is not known');
  };

  return {
    find: (kid) => keys.get(kid) ?? search(kid),
    async ready() {
      if (keys.size === 0 && !isTooSoon()) await refresh();
      if (keys.size === 0) throw unreachable();
    },
    close() {
      callOff();
      closing.abort();
    },
  };
}

/** The keys of a set that can sign our tokens; others may stand there for other uses. A key that is known stays the same object. */
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

const LEAST_BITS = 2048;

async function importKey({ kid, n, e }: { kid: string; n: string; e: string }): Promise<Key | undefined> {
  const crypto = await importJWK({ kty: 'RSA', n, e }, 'RS256').catch(() => undefined);
  const bits = (crypto?.algorithm as { modulusLength?: number } | undefined)?.modulusLength ?? 0;
  return crypto && bits >= LEAST_BITS ? { kid, n, e, crypto, retired: false } : undefined;
}
