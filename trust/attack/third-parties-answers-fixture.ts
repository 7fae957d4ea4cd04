import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { afterAll, beforeAll } from 'vitest';
import { newUser, signInWith } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { WORK_TENANT } from '../../packages/server/test/fake-providers/microsoft.ts';
import { OIDC, REQUESTED } from '../../packages/server/test/fake-providers/right-client.ts';
import { isFull } from '../effort.ts';
import { cases, fullCases } from '../ledger.ts';
import { beginFlow, clearFaults, finish, mustFail, type Parties } from './third-parties-fixture.ts';
import { answersFor, CLAIMS, TENANTS, TOKEN_FAULTS, WRONG_IDS } from './third-parties-lies-fixture.ts';

/** In the full form (`npm run attack`), combines every fault with every place; in the short form, with one place. */
const combine = <Lie, Place>(lies: readonly Lie[], places: readonly Place[]): [Place, Lie][] =>
  isFull
    ? places.flatMap((place) => lies.map((lie): [Place, Lie] => [place, lie]))
    : lies.map((lie, index) => [places[index % places.length]!, lie]);

/** The short form leaves out cases that `features/social/*.test.ts` cover for every provider. */
export function tryAnswers(current: () => Parties): void {
  /** A server in the internal network that must not be reached. */
  let internal: Server;
  let asked = 0;
  beforeAll(async () => {
    internal = createServer((_, response) => {
      asked += 1;
      response.end('{"access_token":"x","id":1,"keys":[]}');
    });
    await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void internal.close());

  /** Completes a sign-in of a new user with a provider that has this fault; the result must be provider_error. */
  const checkFault = async (provider: OAuthProvider, lie: (fake: Parties['fakes'][OAuthProvider]) => void) => {
    const parties = current();
    const fake = parties.fakes[provider];
    newUser(fake);
    const trip = await beginFlow(parties, fake);
    lie(fake);
    const seen = await mustFail(parties, 'provider_error', () => finish(trip));
    clearFaults(parties);
    return seen;
  };
  /** Checks that a sign-in succeeds once the fault is gone, which proves that the fault was the reason. */
  const recovers = async (provider: OAuthProvider) => {
    const { fakes, replicas } = current();
    newUser(fakes[provider]);
    const { status, text } = await signInWith(replicas.either(1), fakes[provider]);
    return status === 200 ? undefined : `${status} ${text}`;
  };

  fullCases('an invalid id_token is refused', async (ledger) => {
    const faults = TOKEN_FAULTS.map((fault) => ({ name: fault, token_fault: fault }));
    const claims = CLAIMS.map(([name, of]) => ({ name, claims: of }));
    for (const [provider, { name, ...lie }] of combine([...faults, ...claims], OIDC)) {
      await ledger.attempt(`${provider}: ${name}`, () =>
        checkFault(provider, (fake) => {
          if ('claims' in lie) fake.claims = lie.claims(`${provider}-client`);
          else fake.token_fault = lie.token_fault;
        }),
      );
    }
    for (const provider of OIDC)
      await ledger.attempt(`${provider}: a correct response is accepted afterwards`, () => recovers(provider));
  });

  fullCases('an id_token with the tenant of another Microsoft issuer is refused', async (ledger) => {
    for (const [name, claims] of TENANTS) {
      await ledger.attempt(name, () =>
        checkFault('oauth_c', (fake) => {
          fake.claims = claims;
        }),
      );
    }
    await ledger.attempt('the issuer of one tenant with the tid of another', () =>
      checkFault('oauth_c', (fake) => {
        fake.claims = { iss: `${fake.url}/${WORK_TENANT}/v2.0`, tid: '11111111-2222-4333-8444-555555555555' };
      }),
    );
    await ledger.attempt('a correct response is accepted afterwards', () => recovers('oauth_c'));
  });

  fullCases('broken and hijacked endpoints are refused, and no redirect is followed', async (ledger) => {
    const answers = answersFor(`http://127.0.0.1:${(internal.address() as AddressInfo).port}/`);
    for (const [[provider, at], [name, how]] of combine(answers, REQUESTED)) {
      await ledger.attempt(`${provider}, ${at}: ${name}`, () =>
        checkFault(provider, (fake) => {
          // The key set is cached, so the keys are rotated to make the service request it.
          if (at === 'jwks') fake.rotateKeys();
          fake.fault = { at, how };
        }),
      );
    }
    for (const provider of OAUTH_PROVIDERS)
      await ledger.attempt(`${provider}: a correct response is accepted afterwards`, () => recovers(provider));
    ledger.enter('no request was sent into the internal network', asked === 0 ? undefined : `${asked} times`);
    const moved = Object.values(current().fakes).flatMap(({ requests }) =>
      requests.filter(({ path }) => path.startsWith('/moved')),
    );
    ledger.enter('no redirect was followed', moved.length === 0 ? undefined : `${moved.length} were`);
  });

  cases('invalid user ids of GitHub and Facebook are refused', async (ledger) => {
    for (const [provider, [name, id]] of combine(WRONG_IDS, ['oauth_b', 'oauth_e'] as const)) {
      await ledger.attempt(`${provider}: ${name}`, () =>
        checkFault(provider, (fake) => {
          const body = { id, name: 'Robin', email: fake.person.email };
          fake.fault = { at: 'userinfo', how: { status: 200, body } };
        }),
      );
    }
  });

  fullCases('requests to endpoints that do not answer are aborted', async (ledger) => {
    for (const [provider, at] of REQUESTED) {
      await ledger.attempt(`${provider}, ${at}`, () =>
        checkFault(provider, (fake) => {
          if (at === 'jwks') fake.rotateKeys();
          fake.fault = { at, how: 'hang' };
        }),
      );
    }
  });
}
