import { readPrefix } from './api-key.ts';
import { createBoundedCache } from './bounded-cache.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { bodyOf, membersOf } from './document.ts';
import { age, type Moment, now } from './moment.ts';
import type { Settings } from './options.ts';
import type { Session } from './session.ts';
import { sha256 } from './sha256.ts';
import { VerifyError } from './verify-error.ts';

interface Verified {
  readonly token: string;
  readonly session: Session;
}

interface KeyTokens {
  /**
   * Returns the session of an API key and the access token that the key was exchanged for. `verify` verifies that
   * token; if it rejects a kept one, the key is exchanged again, once.
   */
  verify(key: string, verify: (token: string) => Promise<Session>): Promise<Verified>;
  close(): void;
}

/** A token that a key was exchanged for. */
interface Kept {
  readonly token: string;
  readonly started: Moment;
  readonly lifetimeMs: number;
}

/** Why a key cannot be used. It is not exchanged again before `forMs` have passed. */
interface Refused {
  readonly error: VerifyError;
  readonly started: Moment;
  readonly forMs: number;
}

/** A key that the service has rejected is not exchanged again before this time. */
const REFUSAL_MS = 5_000;
/** After a failure of the service or of the network, a key is not exchanged again before this time. */
const RETRY_MS = 1_000;
/** A new token is fetched in the background this long before the kept one ends, or at half of a shorter lifetime. */
const RENEW_BEFORE_MS = 30_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/**
 * Exchanges API keys for access tokens, which are then verified locally. All callers with the same key share one
 * request. The caches are indexed by the SHA-256 of the key: a key is in memory only while a request with it is
 * processed. Rejected keys have their own cache, so that invented ones displace no kept token.
 */
export function createKeyTokens({ address, fetch, maxCachedTokens }: Settings): KeyTokens {
  /** One controller per running request: Node warns of a possible leak if a signal has more than ten listeners. */
  const running = new Set<AbortController>();
  let isClosed = false;
  const kept = createBoundedCache<Kept>(maxCachedTokens);
  const refused = createBoundedCache<Refused>(maxCachedTokens);
  const inFlight = new Map<string, Promise<string>>();

  const refuse = (index: string, error: VerifyError): void => {
    const forMs = error.code === 'service_unreachable' ? RETRY_MS : REFUSAL_MS;
    refused.set(index, { error, started: now(), forMs });
  };

  const requireNotRefused = (index: string): void => {
    const refusal = refused.get(index);
    if (!refusal) return;
    if (age(refusal.started) < refusal.forMs) throw refusal.error;
    refused.delete(index);
  };

  /** Shared by all callers while it is pending. Rejects with a VerifyError, which is remembered. */
  const exchange = (index: string, prefix: string, key: string): Promise<string> => {
    const pending = inFlight.get(index);
    if (pending) return pending;
    const started = now();
    const answer = fetchToken(prefix, key)
      .then(
        (fetched) => {
          kept.set(index, { ...fetched, started });
          return fetched.token;
        },
        (error: VerifyError) => {
          // While the service cannot be reached, the kept token stays usable until it ends.
          if (error.code !== 'service_unreachable') kept.delete(index);
          refuse(index, error);
          throw error;
        },
      )
      .finally(() => inFlight.delete(index));
    inFlight.set(index, answer);
    return answer;
  };

  const fetchToken = async (prefix: string, key: string): Promise<Omit<Kept, 'started'>> => {
    const controller = new AbortController();
    if (isClosed) controller.abort();
    running.add(controller);
    const answer = await boundedFetch({
      url: `${address}/oauth/token`,
      fetch,
      headers: {
        authorization: `Basic ${btoa(`${prefix}:${key}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal: controller.signal,
    })
      .catch((cause: unknown) => {
        throw unreachable(reasonOf(cause, key));
      })
      .finally(() => running.delete(controller));
    if (isRefusal(answer.status)) {
      throw new VerifyError('token_invalid', 'the service does not accept this API key');
    }
    try {
      return readExchange(bodyOf(answer));
    } catch (cause) {
      throw unreachable(cause);
    }
  };

  /** Returns a token of the key that has not ended, if possible without a request. */
  const tokenOf = async (index: string, prefix: string, key: string): Promise<{ token: string; isNew: boolean }> => {
    const known = kept.get(index);
    const left = known ? known.lifetimeMs - age(known.started) : 0;
    if (!known || left <= 0) {
      requireNotRefused(index);
      return { token: await exchange(index, prefix, key), isNew: true };
    }
    const isDue = left < Math.min(RENEW_BEFORE_MS, known.lifetimeMs / 2);
    const lastFailure = refused.get(index);
    if (isDue && !(lastFailure && age(lastFailure.started) < lastFailure.forMs)) {
      exchange(index, prefix, key).catch(() => {});
    }
    return { token: known.token, isNew: false };
  };

  return {
    async verify(key, verify) {
      const prefix = readPrefix(key);
      const index = await sha256(key);
      const { token, isNew } = await tokenOf(index, prefix, key);
      const verifyNew = async (fresh: string): Promise<Verified> => {
        try {
          return { token: fresh, session: await verify(fresh) };
        } catch (error) {
          // Remembers the rejection: otherwise every request with the key would exchange it again.
          if (error instanceof VerifyError && error.code !== 'service_unreachable') {
            kept.delete(index);
            refuse(index, error);
          }
          throw error;
        }
      };
      if (isNew) return verifyNew(token);
      try {
        return { token, session: await verify(token) };
      } catch (error) {
        if (!(error instanceof VerifyError) || error.code === 'service_unreachable') throw error;
        // The key was revoked, or its roles have changed: the service decides what the key can do now.
        if (kept.get(index)?.token === token) kept.delete(index);
        return verifyNew((await tokenOf(index, prefix, key)).token);
      }
    },
    close() {
      isClosed = true;
      for (const controller of running) controller.abort();
    },
  };
}

/** A 4xx rejects this key, except 408 and 429, which do not depend on the key. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

const unreachable = (cause: unknown) =>
  new VerifyError('service_unreachable', 'the API key could not be exchanged for a token', { cause });

/** The reason of a failed request as text: the error object of a custom `fetch` may contain the request. */
function reasonOf(cause: unknown, key: string): Error {
  const { message, cause: inner } = membersOf(cause);
  const text = [message, membersOf(inner).message].filter((part) => typeof part === 'string').join(': ');
  return new Error(text.replaceAll(key, 'gth_…'));
}

/** The service issues tokens of at most 300 seconds for keys. */
const MAX_LIFETIME_S = 3_600;

function readExchange(body: unknown): Omit<Kept, 'started'> {
  const { access_token: token, expires_in: seconds } = membersOf(body);
  const isValid = typeof token === 'string' && typeof seconds === 'number' && seconds > 0 && seconds <= MAX_LIFETIME_S;
  if (!isValid) throw new Error('the response contains no token');
  return { token, lifetimeMs: seconds * 1000 };
}
