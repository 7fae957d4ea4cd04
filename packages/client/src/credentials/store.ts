import type { RunExclusive } from './mutex.ts';

/**
 * What a call needs to know of the session. `none`: the endpoint looks at no credential, or does well without. `session`: it needs one, so an
 * access token that has ended is renewed. `optional`: it is better with one.
 */
export type Credential = 'none' | 'session' | 'optional';

/** Whose page this is: once it is known, a write of theirs is refused while somebody else, or another organization, is signed in. */
export interface SignedInAs {
  readonly user_id: string;
  readonly organization_id?: string | undefined;
}

/** Where the session of a client lives: how a request shows it, and what is kept of an answer. */
export interface CredentialStore {
  /** Changes with every renewal. Undefined: there is no access token to show, so a refresh is due. */
  readonly seen: () => string | undefined;
  /** Of every request but a refresh. Throws when the session is not that of the person whose page this is. */
  readonly show: (write: boolean, as: Credential, user: SignedInAs | undefined) => Record<string, string>;
  /** Of every answer, also of one that refuses. */
  readonly keep: (answer: Response, body?: unknown) => void | Promise<void>;
  /** The session is over. */
  readonly forget: () => void | Promise<void>;
  /** An access token for the caller's own use, as it is known now. Absent: none can be had. */
  readonly accessToken?: () => string | undefined;
  /** Refreshes, and what opens or ends a session, one after another: the later answer must be to the later question. */
  readonly runExclusive: RunExclusive;
  /** Absent: what it holds cannot be renewed. */
  readonly renewal?: Renewal;
  readonly init: Pick<RequestInit, 'credentials' | 'redirect'>;
}

interface Renewal {
  /** Whether there is anything to renew, as far as can be seen from here. */
  readonly isPossible: () => boolean;
  /** Of the refresh itself. */
  readonly headers: () => Record<string, string>;
  /** Somebody was faster with the token. Resolves with what came of it: `outrun` when that is still not known. */
  readonly outrun: (seen: string | undefined, ask: () => Promise<Outcome>) => Promise<Outcome>;
}

/** Of a refresh. */
export type Outcome = 'renewed' | 'outrun' | 'over';
