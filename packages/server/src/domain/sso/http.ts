import { LRUCache } from 'lru-cache';
import { after, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { guardedRequest } from '../../platform/outbound/guarded-request.ts';
import type { LookUpAll } from '../../platform/outbound/name-lookup.ts';
import { NOT_PUBLIC } from '../../platform/outbound/public-address.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { type SsoCause, SsoProviderError } from './provider-error.ts';

type JsonDocument = Readonly<Record<string, unknown>>;

/** Requests to providers of connections: only https and public addresses, no redirects, at most 5 seconds and 1 MB. */
export interface SsoHttp {
  /**
   * Returns a JSON object, from the cache if it is at most `maxAgeSeconds` old. Concurrent callers share one request.
   * Failures are cached for a few seconds, but not longer than `maxAgeSeconds`.
   */
  document(url: string, options?: { maxAgeSeconds?: number }): Promise<JsonDocument>;
  /** Sends a request of a library. The response has only the header `content-type`. */
  send(url: string, init: { method: string; headers: Record<string, string>; body?: unknown }): Promise<Response>;
  /** Requests a page and returns the beginning of its text. A redirect is returned, not followed. */
  page(url: string): Promise<{ readonly status: number; readonly text: string }>;
}

interface Options {
  readonly clock: Clock;
  readonly config: Pick<Config, 'PRIVATE_NETWORKS'>;
  /** Replaces the look-up of names, in tests. */
  readonly lookUp?: LookUpAll;
  /** Replaces the timeout of 5 seconds, in tests. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const PAGE_BYTES = 64 * 1024;
/** How long keys that the provider has withdrawn, and old metadata, are still used at most. */
const MAX_AGE_SECONDS = 600;
const FAILURE_SECONDS = 5;
/** The limit for all cached documents together. */
const MAX_CACHED_BYTES = 16 * MAX_BYTES;

interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Cached {
  readonly result: JsonDocument | SsoProviderError;
  readonly size: number;
  readonly loaded_at: Date;
}

export function createSsoHttp({ clock, config, lookUp, timeoutMs = TIMEOUT_MS }: Options): SsoHttp {
  const allowPrivate = config.PRIVATE_NETWORKS === 'allow';
  const cache = new LRUCache<string, Cached>({
    max: 2_000,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ size }) => size,
  });
  const loading = new Map<string, Promise<JsonDocument>>();

  const transmit = async (url: string, options: { maxBytes: number } & SentRequest) => {
    if (!allowPrivate && !url.startsWith('https://')) throw new SsoProviderError('insecure');
    try {
      return await guardedRequest(url, { ...options, timeoutMs, allowPrivate, ...(lookUp && { lookUp }) });
    } catch (error) {
      throw error instanceof OutboundError ? new SsoProviderError(networkCause(error)) : error;
    }
  };

  const request = async (url: string, options: SentRequest) => {
    const response = await transmit(url, { ...options, maxBytes: MAX_BYTES });
    if (response.status >= 300 && response.status < 400) throw new SsoProviderError('redirected');
    if (!response.complete) throw new SsoProviderError(response.body.length < MAX_BYTES ? 'unreachable' : 'too_large');
    return response;
  };

  const load = async (url: string): Promise<JsonDocument> => {
    const loaded_at = clock.now();
    let size = 1;
    const result = await request(url, { method: 'GET', headers: HEADERS })
      .then(({ status, body }) => {
        size += body.length;
        return parseObject(status, body);
      })
      .catch((error: unknown) => {
        if (error instanceof SsoProviderError) return error;
        throw error;
      });
    cache.set(url, { result, size, loaded_at });
    return unwrap(result);
  };

  return {
    async document(url, { maxAgeSeconds = MAX_AGE_SECONDS } = {}) {
      const kept = cache.get(url);
      const isFailure = kept?.result instanceof SsoProviderError;
      const keptSeconds = isFailure ? Math.min(FAILURE_SECONDS, maxAgeSeconds) : maxAgeSeconds;
      if (kept && after(kept.loaded_at, keptSeconds) > clock.now()) return unwrap(kept.result);
      const running = loading.get(url) ?? load(url).finally(() => loading.delete(url));
      loading.set(url, running);
      return running;
    },
    async send(url, { method, headers, body }) {
      const response = await request(url, {
        method: method as 'GET' | 'POST',
        headers: { ...HEADERS, ...headers },
        ...(body !== undefined && body !== null && { body: String(body) }),
      });
      const type = response.headers['content-type'];
      return new Response(WITHOUT_BODY.has(response.status) ? null : response.body, {
        status: response.status,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    },
    async page(url) {
      const { status, body } = await transmit(url, { method: 'GET', headers: PAGE_HEADERS, maxBytes: PAGE_BYTES });
      return { status, text: body.toString('utf8') };
    },
  };
}

/** For tests of a connection, in which an owner must see what the provider answers now. */
export const withoutCache = <D extends { readonly sso: SsoHttp }>(deps: D): D => ({
  ...deps,
  sso: { ...deps.sso, document: (url) => deps.sso.document(url, { maxAgeSeconds: 0 }) },
});

const HEADERS = { accept: 'application/json', 'user-agent': 'gatehouse' };

const PAGE_HEADERS = { accept: 'text/html', 'user-agent': 'gatehouse' };

const WITHOUT_BODY = new Set([204, 205]);

function unwrap(result: JsonDocument | SsoProviderError): JsonDocument {
  if (result instanceof SsoProviderError) throw new SsoProviderError(result.cause);
  return result;
}

function parseObject(status: number, body: Buffer): JsonDocument {
  if (status !== 200) throw new SsoProviderError('metadata');
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonDocument;
  } catch {
    // A body that is not JSON is handled like JSON that is not an object.
  }
  throw new SsoProviderError('metadata');
}

/** Error codes of Node.js for a certificate that is not valid. */
const CERTIFICATE_CODES = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function networkCause({ reason, code }: OutboundError): SsoCause {
  if (code === NOT_PUBLIC) return 'not_public';
  if (code !== undefined && CERTIFICATE_CODES.test(code)) return 'certificate';
  return reason === 'timeout' ? 'timeout' : 'unreachable';
}
