import { constants, createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, bearerOf, jsonText, quote, type ReceivedRequest, receive } from './fake-providers/messages.ts';
import { createSigningKeys } from './fake-providers/signing-keys.ts';
import { TIMEOUT_MS } from './timeouts.ts';

type Claims = Record<string, unknown>;
type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

/** How the ID token is signed, if not by a published key. */
export type SignatureFault =
  | 'none'
  | 'hs256_key'
  | 'hs256_secret'
  | 'foreign_key'
  | 'own_key'
  | 'unknown_kid'
  | 'empty';

interface ProviderFault {
  readonly at: 'metadata' | 'keys' | 'token' | 'userinfo';
  /** `endless`: a body without an end. `huge`: a correct response of 100 MB. An `Answer` is sent unchanged. */
  readonly how: 'hang' | 'endless' | 'huge' | 'redirect' | 'reset' | 'broken_json' | Answer;
}

interface Client {
  /** Null: a public client. */
  secret: string | null;
  /** Null: every redirect URI is registered. */
  redirect_uris: string[] | null;
}

interface Grant {
  readonly user: Claims;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly nonce: string | null;
}

/** An OpenID Connect provider on loopback. All members can be changed between requests. */
export interface OpenIdProvider {
  readonly url: string;
  readonly issuer: string;
  /** The signed-in user: claims of the ID token, `sub` included. A code is for the user at the time of `authorize`. */
  user: Claims;
  /** Overrides claims of the ID token; `undefined` removes one. */
  claims: Claims;
  /** The response of the user info endpoint besides `sub`; undefined: the metadata name no such endpoint. */
  userinfo: Claims | undefined;
  /** Overrides the metadata; `undefined` removes a member. */
  metadata: Claims;
  algorithm: Algorithm;
  signature: SignatureFault | undefined;
  fault: ProviderFault | undefined;
  /** Every connection is reset. */
  down: boolean;
  /** Whether the callback gets the parameter `iss`, and which. */
  iss: string | undefined;
  /** By client id. */
  readonly clients: Map<string, Client>;
  readonly requests: ReceivedRequest[];
  /** Does what a browser does with an authorization URL. Returns the path of the callback, below the route prefix. */
  authorize(authorization_url: string, options?: { deny?: string }): string;
  /** Signs with a new key and `kid` from now on, and no longer publishes the old one. */
  rotateKeys(): void;
  close(): Promise<void>;
}

const LIFETIME_SECONDS = 300;
const HUGE_BYTES = 100 * 1024 * 1024;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts a provider. `now` is for `iat` and `exp`; `path` is the path of the issuer, if a host has several. */
export async function startOpenIdProvider({
  now = () => new Date(),
  path = '',
}: {
  now?: () => Date;
  path?: string;
} = {}): Promise<OpenIdProvider> {
  const keys = createSigningKeys();
  const curves = {
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    EdDSA: generateKeyPairSync('ed25519'),
  };
  const codes = new Map<string, Grant>();
  const access_tokens = new Map<string, Grant>();

  const server = createServer(async (message, response) => {
    try {
      if (provider.down) {
        message.socket.resetAndDestroy();
        return;
      }
      const request = await receive(message);
      provider.requests.push(request);
      const at = placeOf(request.path);
      const answer = () => ANSWERS[at]?.(request) ?? { status: 404, body: { error: 'not_found' } };
      if (provider.fault?.at === at) sendFaulty(response, provider.fault.how, answer());
      else send(response, answer());
    } catch (error) {
      if (!response.headersSent) send(response, { status: 500, body: `the fake provider failed: ${error}` });
      else response.destroy();
    }
  });
  server.keepAliveTimeout = TIMEOUT_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${url}${path}`;

  const keyOf = (algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject; kid: string } =>
    algorithm === 'ES256' || algorithm === 'EdDSA'
      ? { ...curves[algorithm], kid: `the ${algorithm} key` }
      : keys.current();

  const idToken = ({ user, client_id, nonce }: Grant): string => {
    const { algorithm, signature } = provider;
    const { privateKey, publicKey, kid } = keyOf(algorithm);
    const iat = Math.floor(now().getTime() / 1000);
    const claims = {
      iss: issuer,
      aud: client_id,
      iat,
      exp: iat + LIFETIME_SECONDS,
      nonce,
      ...user,
      ...provider.claims,
    };
    const signed = (header: object, signer: (input: Buffer) => Buffer): string => {
      const input = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`;
      return `${input}.${signer(Buffer.from(input)).toString('base64url')}`;
    };
    const byKey = (key: KeyObject) => (input: Buffer) => SIGNERS[algorithm](input, key);
    const byHmac = (key: string | Buffer) => (input: Buffer) => createHmac('sha256', key).update(input).digest();
    if (signature === 'none') return signed({ alg: 'none' }, () => Buffer.alloc(0));
    if (signature === 'empty') return signed({ alg: algorithm, kid }, () => Buffer.alloc(0));
    if (signature === 'hs256_key') {
      return signed({ alg: 'HS256', kid }, byHmac(publicKey.export({ type: 'spki', format: 'pem' })));
    }
    if (signature === 'hs256_secret') {
      return signed({ alg: 'HS256' }, byHmac(provider.clients.get(client_id)?.secret ?? ''));
    }
    if (signature === 'unknown_kid') return signed({ alg: algorithm, kid: 'never-published' }, byKey(privateKey));
    if (signature === 'foreign_key') return signed({ alg: 'RS256', kid }, byKey(keys.foreign.privateKey));
    if (signature === 'own_key') {
      const jwk = keys.foreign.publicKey.export({ format: 'jwk' });
      return signed({ alg: 'RS256', kid, jwk }, byKey(keys.foreign.privateKey));
    }
    return signed({ alg: algorithm, kid }, byKey(privateKey));
  };

  const authorize = (query: URLSearchParams, deny?: string): URL => {
    const client = provider.clients.get(query.get('client_id') ?? '');
    const redirect_uri = query.get('redirect_uri') ?? '';
    if (!client) throw new Error('invalid_client: this client is unknown');
    if (client.redirect_uris && !client.redirect_uris.includes(redirect_uri)) {
      throw new Error('invalid_redirect_uri: the redirect_uri is not registered for this client');
    }
    const problem = requestProblem(query);
    if (problem) throw new Error(problem);
    const callback = new URL(redirect_uri);
    const error = deny ?? (query.get('prompt') === 'none' ? 'login_required' : undefined);
    if (error !== undefined) callback.searchParams.set('error', error);
    else {
      const code = `code-${randomBytes(16).toString('hex')}`;
      codes.set(code, {
        user: structuredClone(provider.user),
        client_id: query.get('client_id')!,
        redirect_uri,
        code_challenge: query.get('code_challenge')!,
        nonce: query.get('nonce'),
      });
      callback.searchParams.set('code', code);
    }
    callback.searchParams.set('state', query.get('state') ?? '');
    if (provider.iss !== undefined) callback.searchParams.set('iss', provider.iss);
    return callback;
  };

  const metadata = (): Answer => ({
    status: 200,
    body: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(provider.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...Object.keys(SIGNERS), 'HS256', 'none'],
      ...provider.metadata,
    },
  });

  const publishedKeys = (): Answer => {
    const published = (['RS256', 'ES256', 'EdDSA'] as const).map((algorithm) => {
      const { publicKey, kid } = keyOf(algorithm);
      return { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid };
    });
    return { status: 200, body: { keys: published } };
  };

  const exchange = (request: ReceivedRequest): Answer => {
    const { form = {} } = request;
    const fail = (status: number, error: string): Answer => ({
      status,
      body: { error, error_description: quote(request) },
    });
    const client_id = authenticated(request, provider.clients);
    if (client_id === undefined) return fail(401, 'invalid_client');
    const grant = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    const isRight =
      grant?.client_id === client_id && grant.redirect_uri === form.redirect_uri && grant.code_challenge === challenge;
    if (!isRight) return fail(400, 'invalid_grant');
    const access_token = `access-${randomBytes(16).toString('hex')}`;
    access_tokens.set(access_token, grant);
    return {
      status: 200,
      body: { access_token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS, id_token: idToken(grant) },
    };
  };

  const ANSWERS: Record<string, (request: ReceivedRequest) => Answer> = {
    metadata,
    keys: publishedKeys,
    token: exchange,
    userinfo: (request) => {
      const grant = access_tokens.get(bearerOf(request));
      if (!grant || !provider.userinfo) return { status: 401, body: { error: 'invalid_token' } };
      return { status: 200, body: { sub: grant.user.sub, ...provider.userinfo } };
    },
    authorize: ({ query }) => {
      try {
        return { status: 302, headers: { location: authorize(new URLSearchParams(query)).href }, body: '' };
      } catch (error) {
        return { status: 400, headers: { 'content-type': 'text/plain' }, body: (error as Error).message };
      }
    },
  };

  /** The endpoint at a path, which begins with the path of the issuer. */
  const placeOf = (text: string): string => {
    const rest = text.startsWith(path) ? text.slice(path.length) : text;
    return rest === '/.well-known/openid-configuration' ? 'metadata' : rest.slice(1);
  };

  const provider: OpenIdProvider = {
    url,
    issuer,
    user: { sub: 'subject-1', email: 'ada@example.com', email_verified: true, name: 'Ada' },
    claims: {},
    userinfo: undefined,
    metadata: {},
    algorithm: 'RS256',
    signature: undefined,
    fault: undefined,
    down: false,
    iss: undefined,
    clients: new Map(),
    requests: [],
    authorize(authorization_url, { deny } = {}) {
      const { origin, pathname, searchParams } = new URL(authorization_url);
      if (origin + pathname !== `${issuer}/authorize`)
        throw new Error(`this is not the provider: ${authorization_url}`);
      const { pathname: at, search } = authorize(searchParams, deny);
      return at.replace(/^\/v1/, '') + search;
    },
    rotateKeys: () => keys.rotate(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

const SIGNERS: Readonly<Record<Algorithm, (input: Buffer, key: KeyObject) => Buffer>> = {
  RS256: (input, key) => sign('sha256', input, key),
  PS256: (input, key) => sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (input, key) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (input, key) => sign(null, input, key),
};

function requestProblem(query: URLSearchParams): string | undefined {
  if (query.has('client_secret') || query.has('code_verifier')) return 'invalid_request: a secret is in the URL';
  if (query.get('response_type') !== 'code') return 'unsupported_response_type';
  if (!query.get('scope')?.split(' ').includes('openid')) return 'invalid_scope';
  if (query.get('code_challenge_method') !== 'S256') return 'invalid_request: PKCE S256 is required';
  if (!/^[\w-]{43}$/.test(query.get('code_challenge') ?? '')) return 'invalid_request: the code_challenge is malformed';
  if (!query.get('nonce') || !query.get('state')) return 'invalid_request: nonce and state are required';
  return undefined;
}

const formDecode = (value: string): string => decodeURIComponent(value.replaceAll('+', ' '));

/** The client that has authenticated itself. Accepts `client_secret_basic`, `client_secret_post` and public clients. */
function authenticated({ form = {}, headers }: ReceivedRequest, clients: OpenIdProvider['clients']) {
  const credentials = /^Basic (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const [id = '', secret] = credentials
    ? Buffer.from(credentials, 'base64').toString().split(':').map(formDecode)
    : [form.client_id, form.client_secret];
  const client = clients.get(id);
  return client && client.secret === (secret ?? null) ? id : undefined;
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(jsonText(body));
}

function sendFaulty(response: ServerResponse, how: ProviderFault['how'], right: Answer): void {
  if (how === 'hang') return;
  if (typeof how === 'object') send(response, how);
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else if (how === 'broken_json') send(response, { ...right, body: `${jsonText(right.body)}[` });
  else if (how === 'redirect') send(response, { status: 302, headers: { location: '/elsewhere' }, body: right.body });
  else pour(response, right, how === 'endless' ? Number.POSITIVE_INFINITY : HUGE_BYTES);
}

/** Sends white space before the correct response, as fast as the client reads it. */
function pour(response: ServerResponse, { status, body }: Answer, bytes: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const chunk = ' '.repeat(65_536);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (response.write(chunk)) continue;
      response.once('drain', more);
      return;
    }
    if (!response.destroyed) response.end(jsonText(body));
  };
  more();
}
