import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthProvider } from '@gatehouse/contract';
import { definitionOf } from '../../src/domain/providers/list.ts';
import { PATIENCE } from '../patience.ts';
import { authorizationPage, authorize } from './authorization.ts';
import { type Brand, brandOf, endpointAt, environmentOf } from './brands.ts';
import { send, sendFaulty } from './faults.ts';
import { type Answer, type ReceivedRequest, receive } from './messages.ts';
import { usualTenant } from './microsoft.ts';
import { makeCredentials } from './settings.ts';
import { createSigningKeys, type KeyPair, type SigningKeys, sharedPairs } from './signing-keys.ts';
import { exchange, publishKeys } from './token-endpoint.ts';

export type Endpoint = 'authorization' | 'token' | 'jwks' | 'userinfo' | 'emails';

export interface FakePerson {
  /** GitHub's is a number. */
  subject: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  /** Microsoft's `tid`: the organization of the account. */
  tenant?: string;
  /** Microsoft only: whether the owner of the domain vouches for the address. */
  xms_edov?: unknown;
}

export type TokenError = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

/** What is wrong with the id_token; everything else about it is right. */
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
  /** An answer: this one, word for word. */
  how: 'hang' | 'huge' | 'redirect' | 'broken_json' | 'not_object' | 'reset' | 'error' | 404 | 429 | 500 | Answer;
}

/** Where the provider sends the browser. */
export interface Arrival {
  callback_url: string;
  /** Apple's fields, which the browser posts to `callback_url`. */
  form?: Record<string, string>;
}

export interface FakeProvider {
  readonly provider: OAuthProvider;
  readonly url: string;
  /** `OAUTH_A_ISSUER`, `OAUTH_A_TOKEN_URL` and so on, to hand to the service. */
  readonly environment: Record<string, string>;
  /** What an admin saves. */
  readonly settings: { public_config: Record<string, string>; secret: string };
  /** Who is at the provider now. A code is for who was there at `authorize`. */
  person: FakePerson;
  /** Laid over the claims of the id_token; `undefined` removes one. */
  claims?: Record<string, unknown> | undefined;
  token_fault?: TokenFault | undefined;
  /** Lasts until it is taken away. */
  fault?: Fault | undefined;
  /** All that came in over HTTP. */
  readonly requests: ReceivedRequest[];
  /** What a person's browser does with the URL of a start; throws, naming all that is wrong with it. */
  authorize(authorization_url: string, options?: { deny?: boolean | string }): Promise<Arrival>;
  /** Signs with a new key under a new `kid` from now on, and no longer publishes the old one. */
  rotateKeys(): void;
  close(): Promise<void>;
}

/** What a code, and later its access token, stands for. */
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
  /** Apple only: the pair whose private half the admin saves. */
  readonly client_key: KeyPair | undefined;
  readonly codes: Map<string, Grant>;
  readonly access_tokens: Map<string, Grant>;
  /** Subjects whose name Apple has told already: it does so once. */
  readonly introduced: Set<string>;
  /** Right answers to who follows a redirect, by path. */
  readonly moved: Map<string, Answer>;
}

const NOT_FOUND: Answer = { status: 404, body: { error: 'not_found' } };

const ANSWERS: Record<Endpoint, (state: ProviderState, request: ReceivedRequest) => Answer> = {
  authorization: authorizationPage,
  token: exchange,
  jwks: publishKeys,
  userinfo: (state, request) => state.brand.userinfo?.(state, request) ?? NOT_FOUND,
  emails: (state, request) => state.brand.listEmails?.(state, request) ?? NOT_FOUND,
};

async function handle(state: ProviderState, request: ReceivedRequest, response: ServerResponse): Promise<void> {
  const { fake, brand, moved } = state;
  const endpoint = endpointAt(brand, request.path);
  const answer = (): Answer => {
    if (endpoint) return ANSWERS[endpoint](state, request);
    return moved.get(request.path) ?? NOT_FOUND;
  };
  if (fake.fault && fake.fault.at === endpoint) await sendFaulty(state, fake.fault, request, response, answer);
  else send(response, answer());
}

/** One identity provider as a real server on loopback. `now` is for `iat` and `exp`; `tenant` is Microsoft's setting. */
export async function startFakeProvider(
  provider: OAuthProvider,
  { now = () => new Date(), tenant = 'common' }: { now?: () => Date; tenant?: string } = {},
): Promise<FakeProvider> {
  const pairs = await sharedPairs();
  const server = createServer(async (message, response) => {
    try {
      const request = await receive(message);
      fake.requests.push(request);
      await handle(state, request, response);
    } catch (error) {
      // Also when the client went away, and then nobody reads it.
      if (!response.headersSent) send(response, { status: 500, body: `the fake provider failed: ${error}` });
      else response.destroy();
    }
  });
  // Its connections outlast a pause of the machine: one that is closed at the moment of the next request fails it.
  server.keepAliveTimeout = PATIENCE;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const definition = definitionOf(provider);
  const brand = brandOf(definition);
  const { settings, client_key } = makeCredentials(definition, tenant);

  const fake: FakeProvider = {
    provider,
    url,
    environment: environmentOf(provider, brand, url),
    settings,
    person: { ...brand.person, ...(brand.tenants && { tenant: usualTenant(tenant) }) },
    requests: [],
    authorize: async (authorization_url, options) => authorize(state, authorization_url, options),
    rotateKeys: () => state.keys.rotate(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const state: ProviderState = {
    fake,
    brand,
    now,
    keys: createSigningKeys(pairs),
    client_key,
    codes: new Map(),
    access_tokens: new Map(),
    introduced: new Set(),
    moved: new Map(),
  };
  return fake;
}
