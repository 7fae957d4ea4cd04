import type { OAuthProvider } from '@gatehouse/contract';
import type { Answer, ReceivedRequest } from './messages.ts';
import type { KeyPair, SigningKeys } from './signing-keys.ts';

export type Endpoint = 'authorization' | 'token' | 'jwks' | 'userinfo' | 'emails';

export interface FakePerson {
  /** The user id at the provider; at GitHub a number. */
  subject: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  /** Microsoft's `tid`: the organization of the account. */
  tenant?: string;
  /** Microsoft only: whether the owner of the domain has verified the email. */
  xms_edov?: unknown;
}

export type TokenError = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

/** What is wrong with the id_token. Everything else is correct. */
export type TokenFault =
  | 'nonce'
  | 'no_nonce'
  | 'audience'
  | 'two_audiences'
  | 'issuer'
  | 'foreign_key'
  | 'unknown_kid'
  | 'none'
  | 'hs256'
  | 'hs256_secret'
  | 'own_key'
  | 'no_signature'
  | 'expired'
  | 'not_yet'
  | 'no_subject'
  | 'tampered'
  | 'garbage'
  | 'missing';

export interface Fault {
  at: 'token' | 'jwks' | 'userinfo' | 'emails';
  /** An `Answer` is sent unchanged. */
  how: 'hang' | 'huge' | 'redirect' | 'broken_json' | 'not_object' | 'reset' | 'error' | 404 | 429 | 500 | Answer;
}

export interface Arrival {
  callback_url: string;
  /** Apple's fields, which the browser posts to `callback_url`. */
  form?: Record<string, string>;
}

export interface FakeProvider {
  readonly provider: OAuthProvider;
  readonly url: string;
  /** `OAUTH_A_ISSUER`, `OAUTH_A_TOKEN_URL` and so on, for the service. */
  readonly environment: Record<string, string>;
  readonly settings: { public_config: Record<string, string>; secret: string };
  /** The current user at the provider. A code is for the user at the time of `authorize`. */
  person: FakePerson;
  /** Overrides claims of the id_token; `undefined` removes one. */
  claims?: Record<string, unknown> | undefined;
  token_fault?: TokenFault | undefined;
  /** The fault applies until it is removed. */
  fault?: Fault | undefined;
  readonly requests: ReceivedRequest[];
  /** Does what a browser does with an authorization URL. Throws with everything that is wrong with the URL. */
  authorize(authorization_url: string, options?: { deny?: boolean | string }): Promise<Arrival>;
  /** Signs with a new key and `kid` from now on, and no longer publishes the old key. */
  rotateKeys(): void;
  close(): Promise<void>;
}

/** The user and the parameters that a code, and later its access token, was issued for. */
export interface Grant {
  readonly person: FakePerson;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly nonce: string | undefined;
  readonly scope: string;
}

export interface ProviderState {
  readonly fake: FakeProvider;
  readonly brand: Brand;
  readonly now: () => Date;
  readonly keys: SigningKeys;
  /** Apple only: the key pair whose private key the admin saves. */
  readonly client_key: KeyPair | undefined;
  readonly codes: Map<string, Grant>;
  readonly access_tokens: Map<string, Grant>;
  /** Subjects whose name Apple has sent already. */
  readonly introduced: Set<string>;
  /** Responses after a redirect, by path. */
  readonly moved: Map<string, Answer>;
}

/** How a fake differs from a standard OpenID Connect provider. */
export interface Quirks {
  /** Default: the scopes that the service requests. */
  readonly scopes?: { readonly required: readonly string[]; readonly optional: readonly string[] };
  /** Parameters of the callback if the user denies access. */
  readonly denial?: Readonly<Record<string, string>> & { readonly error: string };
  readonly subject?: string;
  readonly isSubject?: (subject: string) => boolean;
  /** Whether the browser posts the callback parameters. */
  readonly formPost?: true;
  /** Callback parameters besides `code` and `state`, which the service must ignore or check. */
  readonly companions?: (state: ProviderState, scope: string) => Record<string, string>;
  readonly claims?: (user: FakePerson, iat: number) => Record<string, unknown>;
  readonly errorResponse?: (request: ReceivedRequest, error: TokenError, error_description: string) => Answer;
  /** The token response of a provider that does not issue id_tokens. */
  readonly tokens?: (request: ReceivedRequest, access_token: string, grant: Grant) => Answer;
  readonly userinfo?: (state: ProviderState, request: ReceivedRequest) => Answer;
  readonly listEmails?: (state: ProviderState, request: ReceivedRequest) => Answer;
  /** Returns what is wrong with the client secret. Default: it must equal the saved secret. */
  readonly secretProblem?: (state: ProviderState, client_secret: string) => string | undefined;
}

export interface Brand extends Quirks {
  readonly oidc: boolean;
  /** `{tenant}` stands for one segment, which the service fills in. */
  readonly paths: Readonly<Partial<Record<Endpoint, string>> & { authorization: string; token: string }>;
  readonly scopes: NonNullable<Quirks['scopes']>;
  readonly denial: NonNullable<Quirks['denial']>;
  /** Whether each tenant has its own issuer. */
  readonly tenants: boolean;
  readonly person: FakePerson;
}
