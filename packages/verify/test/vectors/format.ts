/** A response of the service. Where a response is `null`, the connection failed. */
export interface VectorResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The exact text of a body that is not JSON. */
  readonly text?: string;
  /** The name of an entry of `key_sets`, which is the body. */
  readonly key_set?: string;
  /** From the request to the end of the body; bytes arrive at least once a second. Default: 0. */
  readonly takes_ms?: number;
}

/** A request that the verifier must send, at this time, and its response. */
export interface VectorRequest {
  readonly at: number;
  /** Repeats the entry: `count` requests, one every `every_ms`. */
  readonly every_ms?: number;
  readonly count?: number;
  readonly path: string;
  /** The decoded query parameter; absent: the request has none. */
  readonly after?: string;
  readonly if_none_match?: string;
  readonly authorization?: string;
  readonly form?: string;
  readonly response: VectorResponse | null;
}

export interface VectorNeeds {
  readonly organization?: string;
  readonly role?: 'owner' | 'admin' | 'member';
  readonly permission?: string;
  readonly verified_email?: true;
  readonly aal?: 'aal2';
  readonly signed_in_within?: number;
  readonly stepped_up_within?: number;
}

/** Either the session of an accepted request, or the code of a refusal. */
export type VectorVerdict = { readonly session: Readonly<Record<string, unknown>> } | { readonly refused: string };

export interface VectorCheck {
  readonly about: string;
  readonly at: number;
  /** The Authorization header of the request; null: it has none. */
  readonly authorization: string | null;
  readonly needs?: VectorNeeds;
  readonly verdict: VectorVerdict;
}

/** The four documents that a verifier requests. Requests for one of them are in order. */
export const KINDS = ['keys', 'feed', 'exchange', 'session'] as const;
export type Kind = (typeof KINDS)[number];

export interface Scenario {
  readonly name: string;
  readonly options: {
    readonly issuer: string;
    readonly audience?: string;
    readonly when_feed_fails?: 'accept';
    readonly max_revocations?: number;
  };
  /** The verifier's clock at 0. All other times are milliseconds since then, by this clock. */
  readonly starts_at: string;
  /** Whether the first requests for keys and feed, at 0, make the verifier ready. */
  readonly ready: boolean;
  /** The machine sleeps: timers and the monotonic clock stand still, and the clock is ahead by `ms` afterwards. */
  readonly sleeps?: readonly { readonly at: number; readonly ms: number }[];
  readonly requests: Readonly<Partial<Record<Kind, readonly VectorRequest[]>>>;
  readonly checks: readonly VectorCheck[];
}

export interface VectorFile {
  readonly about: string;
  readonly key_sets: Readonly<Record<string, { readonly keys: readonly unknown[] }>>;
  readonly scenarios: readonly Scenario[];
}
