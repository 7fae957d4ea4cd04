import type { RunExclusive } from './mutex.ts';

/**
 * Whether a call needs the session. `none`: the endpoint needs no session. `session`: required, so an expired access
 * token is renewed first. `optional`: used if there is one.
 */
export type Credential = 'none' | 'session' | 'optional';

/**
 * The user and organization that the page shows. Once set, writes fail while a different user or organization is signed
 * in.
 */
export interface SignedInAs {
  readonly user_id: string;
  readonly organization_id?: string | undefined;
}

/** Stores the session of a client: adds it to requests and updates it from responses. */
export interface CredentialStore {
  /**
   * Returns a value that changes with every renewal; undefined if there is no valid access token, so that a refresh is
   * due.
   */
  readonly version: () => string | undefined;
  /** Returns the headers of a request other than refresh. Throws if the session is not that of the page's user. */
  readonly headersFor: (write: boolean, as: Credential, user: SignedInAs | undefined) => Record<string, string>;
  /** Called for every response, including errors. */
  readonly store: (answer: Response, body?: unknown) => void | Promise<void>;
  /** Called when the session has ended. */
  readonly clear: () => void | Promise<void>;
  /** Returns the current access token, for the caller's own API. Absent if scripts cannot read it. */
  readonly accessToken?: () => string | undefined;
  /**
   * Serializes refreshes and calls that open or end a session, so that the last response belongs to the last request.
   */
  readonly runExclusive: RunExclusive;
  /** Absent if the credential cannot be renewed. */
  readonly renewal?: Renewal;
  readonly init: Pick<RequestInit, 'credentials' | 'redirect'>;
}

interface Renewal {
  /** Returns false if it is known that there is no refresh token. */
  readonly isPossible: () => boolean;
  /** Returns the headers of the refresh request. */
  readonly headers: () => Record<string, string>;
  /**
   * Called when another request has used the refresh token first. Resolves with the outcome; `superseded` if it is not
   * known yet.
   */
  readonly superseded: (version: string | undefined, ask: () => Promise<Outcome>) => Promise<Outcome>;
}

/** The outcome of a refresh. `superseded`: another request has used the refresh token first. */
export type Outcome = 'renewed' | 'superseded' | 'over';
