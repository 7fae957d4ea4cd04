import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE } from '../patience.ts';
import { authorizationPage, authorize } from './authorization.ts';
import { BRANDS, endpointAt, environmentOf, PERSONAL_TENANT, WORK_TENANT } from './brands.ts';
import { send, sendFaulty } from './faults.ts';
import { type Answer, type ReceivedRequest, receive } from './messages.ts';
import { makeCredentials } from './settings.ts';
import { createSigningKeys, sharedPairs } from './signing-keys.ts';
import { exchange, publishKeys } from './token-endpoint.ts';
import type { Endpoint, FakeProvider, ProviderId, ProviderState } from './types.ts';
import { describePerson, listEmails } from './userinfo.ts';

const ANSWERS: Record<Endpoint, (state: ProviderState, request: ReceivedRequest) => Answer> = {
  authorization: authorizationPage,
  token: exchange,
  jwks: publishKeys,
  userinfo: describePerson,
  emails: listEmails,
};

async function handle(state: ProviderState, request: ReceivedRequest, response: ServerResponse): Promise<void> {
  const { fake, brand, moved } = state;
  const endpoint = endpointAt(brand, request.path);
  const answer = (): Answer => {
    if (endpoint) return ANSWERS[endpoint](state, request);
    return moved.get(request.path) ?? { status: 404, body: { error: 'not_found' } };
  };
  if (fake.fault && fake.fault.at === endpoint) await sendFaulty(state, fake.fault, request, response, answer);
  else send(response, answer());
}

/** The tenant of the person must fit the one the service is set to, or the service has every reason to refuse. */
function usualTenant(tenant: string): string {
  if (tenant === 'consumers') return PERSONAL_TENANT;
  return tenant === 'common' || tenant === 'organizations' ? WORK_TENANT : tenant;
}

/** One identity provider as a real server on loopback. `now` is for `iat` and `exp`; `tenant` is Microsoft's setting. */
export async function startFakeProvider(
  provider: ProviderId,
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
  const brand = BRANDS[provider];
  const { settings, client_key } = makeCredentials(provider, tenant);

  const fake: FakeProvider = {
    provider,
    url,
    environment: environmentOf(provider, url),
    settings,
    person: { ...brand.person, ...(provider === 'oauth_c' && { tenant: usualTenant(tenant) }) },
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
