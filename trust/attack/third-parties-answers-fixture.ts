import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { afterAll, beforeAll } from 'vitest';
import { newUser, signInWith } from '../../packages/server/src/features/oauth/oauth-fixture.ts';
import { WORK_TENANT } from '../../packages/server/test/fake-providers/microsoft.ts';
import { OIDC, REQUESTED } from '../../packages/server/test/fake-providers/right-client.ts';
import { isFull } from '../effort.ts';
import { cases, fullCases } from '../ledger.ts';
import { finish, mend, type Parties, refusal, wayBack } from './third-parties-fixture.ts';
import { answersFor, CLAIMS, TENANTS, TOKEN_FAULTS, WRONG_IDS } from './third-parties-lies-fixture.ts';

/** In the full form every lie at every place; in the short one every lie once, the places taking turns. */
const everywhere = <Lie, Place>(lies: readonly Lie[], places: readonly Place[]): [Place, Lie][] =>
  isFull
    ? places.flatMap((place) => lies.map((lie): [Place, Lie] => [place, lie]))
    : lies.map((lie, index) => [places[index % places.length]!, lie]);

/** Providers that lie about who somebody is, and whatever answers in their place. */
export function tryAnswers(current: () => Parties): void {
  /** Something inside the network that nobody outside may ask for. */
  let inside: Server;
  let asked = 0;
  beforeAll(async () => {
    inside = createServer((_, response) => {
      asked += 1;
      response.end('{"access_token":"x","id":1,"keys":[]}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void inside.close());

  /** Somebody new comes back from a provider that lies in this way. */
  const lied = async (provider: OAuthProvider, lie: (fake: Parties['fakes'][OAuthProvider]) => void) => {
    const parties = current();
    const fake = parties.fakes[provider];
    newUser(fake);
    const trip = await wayBack(parties, fake);
    lie(fake);
    const seen = await refusal(parties, 'provider_error', () => finish(trip));
    mend(parties);
    return seen;
  };
  /** And everybody is let in again when it is over: what refused them was the lie. */
  const mended = async (provider: OAuthProvider) => {
    const { fakes, replicas } = current();
    newUser(fakes[provider]);
    const { status, text } = await signInWith(replicas.either(1), fakes[provider]);
    return status === 200 ? undefined : `${status} ${text}`;
  };

  cases('an id_token that is not right', async (ledger) => {
    const faults = TOKEN_FAULTS.map((fault) => ({ name: fault, token_fault: fault }));
    const claims = CLAIMS.map(([name, of]) => ({ name, claims: of }));
    for (const [provider, { name, ...lie }] of everywhere([...faults, ...claims], OIDC)) {
      await ledger.attempt(`${provider}: ${name}`, () =>
        lied(provider, (fake) => {
          if ('claims' in lie) fake.claims = lie.claims(`${provider}-client`);
          else fake.token_fault = lie.token_fault;
        }),
      );
    }
    for (const provider of OIDC) await ledger.attempt(`${provider}: and then a right one`, () => mended(provider));
  });

  cases('a tenant of Microsoft’s that did not sign', async (ledger) => {
    for (const [name, claims] of TENANTS) {
      await ledger.attempt(name, () =>
        lied('oauth_c', (fake) => {
          fake.claims = claims;
        }),
      );
    }
    await ledger.attempt('the issuer of a tenant, and the word of another', () =>
      lied('oauth_c', (fake) => {
        fake.claims = { iss: `${fake.url}/${WORK_TENANT}/v2.0`, tid: '11111111-2222-4333-8444-555555555555' };
      }),
    );
    await ledger.attempt('and then a right one', () => mended('oauth_c'));
  });

  cases('endpoints that are broken, or in somebody else’s hands', async (ledger) => {
    const answers = answersFor(`http://127.0.0.1:${(inside.address() as AddressInfo).port}/`);
    for (const [[provider, at], [name, how]] of everywhere(answers, REQUESTED)) {
      await ledger.attempt(`${provider}, ${at}: ${name}`, () =>
        lied(provider, (fake) => {
          // Keys that are known already are not asked for.
          if (at === 'jwks') fake.rotateKeys();
          fake.fault = { at, how };
        }),
      );
    }
    for (const provider of OAUTH_PROVIDERS)
      await ledger.attempt(`${provider}: and then a right one`, () => mended(provider));
    ledger.enter('nobody inside the network was asked', asked === 0 ? undefined : `${asked} times`);
    const moved = Object.values(current().fakes).flatMap(({ requests }) =>
      requests.filter(({ path }) => path.startsWith('/moved')),
    );
    ledger.enter('no redirect was followed', moved.length === 0 ? undefined : `${moved.length} were`);
  });

  cases('GitHub and Facebook say badly who somebody is', async (ledger) => {
    for (const [provider, [name, id]] of everywhere(WRONG_IDS, ['oauth_b', 'oauth_e'] as const)) {
      await ledger.attempt(`${provider}: ${name}`, () =>
        lied(provider, (fake) => {
          const body = { id, name: 'Robin', email: fake.person.email };
          fake.fault = { at: 'userinfo', how: { status: 200, body } };
        }),
      );
    }
  });

  fullCases('endpoints that do not answer are given up', async (ledger) => {
    for (const [provider, at] of REQUESTED) {
      await ledger.attempt(`${provider}, ${at}`, () =>
        lied(provider, (fake) => {
          if (at === 'jwks') fake.rotateKeys();
          fake.fault = { at, how: 'hang' };
        }),
      );
    }
  });
}
