/**
 * State of the revocation feed: `lost` if the last successful poll is too old to rely on, `regained` after the next
 * one.
 */
export type FeedState = 'lost' | 'regained';

/**
 * Options of {@link createVerifier}. Only `issuer` is required.
 *
 * @example
 * ```ts
 * import { createVerifier, type VerifierOptions } from '@gatehouse/verify';
 *
 * const options: VerifierOptions = {
 *   issuer: 'https://id.example.com',
 *   whenFeedFails: 'accept',
 *   onFeed: (state, cause) => console.warn('the revocation feed is', state, cause),
 * };
 * await createVerifier(options).verify(token);
 * ```
 */
export interface VerifierOptions {
  /** `PUBLIC_BASE_URL` of the service, an origin such as `https://id.example.com`: the `iss` of every token. */
  readonly issuer: string;
  /**
   * Set it in an API that is called by applications of the provider (OAuth 2.1), to the resource URI that an
   * administrator has listed for the application: only access tokens of applications for exactly this audience are
   * accepted then. Left out: only access tokens of the service's own sessions are accepted.
   */
  readonly audience?: string | undefined;
  /**
   * The address at which this process reaches the service, if it differs, such as `http://gatehouse:8080` in a cluster.
   * Default: `issuer`.
   */
  readonly address?: string;
  /** `ROUTE_PREFIX` of the service. Default: `/v1`. */
  readonly routePrefix?: string;
  /**
   * What to do if the revocation feed cannot be read. `refuse`, the default: every token is rejected with 503.
   * `accept`: tokens are checked against the last known feed, so a session revoked in the meantime is accepted until
   * its token expires.
   */
  readonly whenFeedFails?: 'refuse' | 'accept';
  /**
   * Called when the feed cannot be read, and when it can be read again, for logs and alerts. Errors it throws are
   * ignored.
   */
  readonly onFeed?: (state: FeedState, cause?: unknown) => void | Promise<void>;
  /**
   * Seconds for which a token is accepted after it expires, in case this machine's clock is ahead of the service's. 0
   * to 60, default 5.
   */
  readonly clockSkew?: number;
  /** Maximum number of verified tokens in memory, about 2 KB each, and of tokens of API keys. Default: 10,000. */
  readonly maxCachedTokens?: number;
  /**
   * Revoked sessions, and role changes, kept in memory, about 200 bytes each. Default: 100,000. With more, the oldest
   * revocations are dropped, and every token issued before the newest dropped one is rejected as `token_expired`:
   * clients refresh, which revoked sessions cannot. The oldest role changes then count for all users. A feed with more
   * than twice as many entries is not read, and counts as unreadable.
   */
  readonly maxRevocations?: number;
  /** Seconds for which the response of the service to `lookUp` is cached. 0 to 60, default 10. */
  readonly lookUpSeconds?: number;
  /** Replaces `globalThis.fetch`: for proxies, client certificates, tests. */
  readonly fetch?: typeof globalThis.fetch;
}

export type Settings = Required<Omit<VerifierOptions, 'audience'>> & { readonly audience: string | undefined };

/** Adds the defaults. Throws for invalid options. */
export function settingsOf(options: VerifierOptions): Settings {
  const { address = options.issuer, whenFeedFails = 'refuse' } = options;
  if (whenFeedFails !== 'refuse' && whenFeedFails !== 'accept') {
    throw new TypeError("whenFeedFails: must be 'refuse' or 'accept'");
  }
  return {
    issuer: originOf(options.issuer),
    audience: audienceOf(options.audience),
    address: httpAddress('address', address).href.replace(/\/+$/, ''),
    routePrefix: prefixOf(options.routePrefix ?? '/v1'),
    whenFeedFails,
    onFeed: options.onFeed ?? (() => {}),
    clockSkew: within('clockSkew', options.clockSkew ?? 5, 0, 60),
    maxCachedTokens: within('maxCachedTokens', options.maxCachedTokens ?? 10_000, 2, 10_000_000),
    maxRevocations: within('maxRevocations', options.maxRevocations ?? 100_000, 1, 1_000_000),
    lookUpSeconds: within('lookUpSeconds', options.lookUpSeconds ?? 10, 0, 60),
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  };
}

function originOf(issuer: string): string {
  const { origin, pathname } = httpAddress('issuer', issuer);
  if (pathname !== '/') throw new TypeError('issuer: must be an origin without a path, as PUBLIC_BASE_URL is');
  return origin;
}

function audienceOf(audience: string | undefined): string | undefined {
  if (audience === undefined || (typeof audience === 'string' && URL.canParse(audience))) return audience;
  throw new TypeError('audience: must be an absolute URI, as a resource of an application is');
}

function httpAddress(option: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError(`${option}: must be an http or https address`);
  }
  return url;
}

function prefixOf(value: string): string {
  if (!/^(\/[\w.~-]+)*\/?$/.test(value)) throw new TypeError('routePrefix: must be a path such as /v1');
  return value.replace(/\/$/, '');
}

function within(option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new RangeError(`${option}: must be a number from ${least} to ${most}`);
}
