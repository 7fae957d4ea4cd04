/** Whether the revocation feed can be read: `lost` when its last news is too old for a promise, `regained` when it is read again. */
export type FeedState = 'lost' | 'regained';

/**
 * What {@link createVerifier} takes. Only `issuer` has no default.
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
  /** Where this process reaches the service, when that is another address, such as `http://gatehouse:8080` inside a cluster. Default: `issuer`. */
  readonly address?: string;
  /** `ROUTE_PREFIX` of the service. Default: `/v1`. */
  readonly routePrefix?: string;
  /**
   * What to do when the feed of revoked sessions cannot be read. `refuse`, the default: no token is accepted, and the answer is 503. `accept`: tokens are
   * accepted by what was last known, so a session revoked meanwhile lives on until its token ends.
   */
  readonly whenFeedFails?: 'refuse' | 'accept';
  /** Is told when the feed is lost and regained, for a log or an alarm. What it throws is ignored. */
  readonly onFeed?: (state: FeedState, cause?: unknown) => void | Promise<void>;
  /** Seconds by which this machine's clock may be ahead of the service's: a token is accepted for so much longer. 0 to 60, default 5. */
  readonly clockSkew?: number;
  /** Proven tokens kept in memory, about 2 KB each. Default: 10,000. */
  readonly maxCachedTokens?: number;
  /**
   * Revoked sessions kept in memory, about 200 bytes each. Default: 100,000. With more, those revoked first are left out, and every token issued
   * before that is refused as `token_expired`: clients refresh, which the revoked ones cannot. A feed of more than
   * twice as many is not read at all, and counts as one that failed.
   */
  readonly maxRevocations?: number;
  /** Seconds for which an answer of the service to `lookUp` may be used again. 0 to 60, default 10. */
  readonly lookUpSeconds?: number;
  /** Instead of `globalThis.fetch`: for proxies, client certificates, tests. */
  readonly fetch?: typeof globalThis.fetch;
}

export type Settings = Required<VerifierOptions>;

/** With every default. Throws on what cannot be meant. */
export function settingsOf(options: VerifierOptions): Settings {
  const { address = options.issuer, whenFeedFails = 'refuse' } = options;
  if (whenFeedFails !== 'refuse' && whenFeedFails !== 'accept') {
    throw new TypeError("whenFeedFails: must be 'refuse' or 'accept'");
  }
  return {
    issuer: originOf(options.issuer),
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
