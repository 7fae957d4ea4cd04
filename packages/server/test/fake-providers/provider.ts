import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthProvider } from '@gatehouse/contract';
import { definitionOf } from '../../src/domain/provider-settings/list.ts';
import { TIMEOUT_MS } from '../timeouts.ts';
import { authorizationPage, authorize } from './authorization.ts';
import { brandOf, endpointAt, environmentOf } from './brands.ts';
import { send, sendFaulty } from './faults.ts';
import { type Answer, type ReceivedRequest, receive } from './messages.ts';
import { usualTenant } from './microsoft.ts';
import { makeCredentials } from './settings.ts';
import { createSigningKeys } from './signing-keys.ts';
import { exchange, publishKeys } from './token-endpoint.ts';
import type { Endpoint, FakeProvider, ProviderState } from './types.ts';

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

/** Starts an identity provider on loopback. `now` is for `iat` and `exp`; `tenant` is Microsoft's setting. */
export async function startFakeProvider(
  provider: OAuthProvider,
  { now = () => new Date(), tenant = 'common' }: { now?: () => Date; tenant?: string } = {},
): Promise<FakeProvider> {
  const server = createServer(async (message, response) => {
    try {
      const request = await receive(message);
      fake.requests.push(request);
      await handle(state, request, response);
    } catch (error) {
      // An error is also thrown if the client closed the connection.
      if (!response.headersSent) send(response, { status: 500, body: `the fake provider failed: ${error}` });
      else response.destroy();
    }
  });
  // Long keep-alive: a request fails if the server closes its connection at the same moment.
  server.keepAliveTimeout = TIMEOUT_MS;
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
    keys: createSigningKeys(),
    client_key,
    codes: new Map(),
    access_tokens: new Map(),
    introduced: new Set(),
    moved: new Map(),
  };
  return fake;
}
