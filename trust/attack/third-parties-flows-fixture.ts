import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import {
  type AuthorizedFlow,
  changed,
  identitiesOf,
  newUser,
  signInWith,
  wordOf,
} from '../../packages/server/src/features/social/oauth-fixture.ts';
import { type Browser, createBrowser, registerUser, tally } from '../../packages/server/test/browser.ts';
import { countingRows } from '../../packages/server/test/records.ts';
import { isFull } from '../effort.ts';
import { cases, fullCases } from '../ledger.ts';
import { at, beginFlow, finish, linkFlow, mustFail, type Parties } from './third-parties-fixture.ts';
import { ERRORS_WITH_MARKUP } from './third-parties-lies-fixture.ts';
import { differs } from './unchanged-fixture.ts';

/** A callback that belongs to no flow of this browser is not audited and consumes nothing. */
const FOREIGN = { audit: 0, spent: 0 };
/** The callback is audited, but its state was consumed before. */
const AGAIN = { audit: 1, spent: 0 };

/** The short form leaves out cases that `features/social/*.test.ts` and `test/race/oauth.test.ts` cover. */
export function tryFlows(current: () => Parties): void {
  const begin = (provider: OAuthProvider = 'oauth_a', browser?: Browser): Promise<AuthorizedFlow> => {
    newUser(current().fakes[provider]);
    return beginFlow(current(), current().fakes[provider], browser && { browser });
  };
  const newBrowser = () => createBrowser(current().replicas.either(1));
  const countRequests = () => Object.values(current().fakes).map(({ requests }) => requests.length);

  fullCases('the callback of one provider at the endpoint of another is refused', async (ledger) => {
    for (const from of OAUTH_PROVIDERS) {
      for (const to of OAUTH_PROVIDERS.filter((other) => other !== from)) {
        await ledger.attempt(`${from} at ${to}`, async () => {
          const trip = await begin(from);
          const before = countRequests();
          const path = trip.path.replace(from, to);
          const seen = await mustFail(current(), 'invalid_state', () => finish({ ...trip, path }));
          const own = await mustFail(current(), 'invalid_state', () => finish(trip), AGAIN);
          return seen ?? own ?? differs(countRequests(), before);
        });
      }
    }
    for (const provider of ['oauth_a', 'oauth_d'] as const) {
      for (const iss of [
        'https://evil.example',
        'https://accounts.google.com',
        '',
        `${current().fakes[provider].url}/`,
      ]) {
        await ledger.attempt(`${provider} says that it is ${JSON.stringify(iss)}`, async () => {
          const trip = await begin(provider);
          const path = changed(trip.path, { iss });
          return mustFail(current(), 'invalid_state', () => finish({ ...trip, path }));
        });
      }
    }
  });

  fullCases('the callback of one browser is refused in another', async (ledger) => {
    const victim = await registerUser(current().replicas.either(0));
    const browsers: [string, () => Promise<Browser>][] = [
      ['one that knows of no flow', async () => newBrowser()],
      ['one with a flow of its own', async () => (await begin()).browser],
      ['one with a flow to another provider', async () => (await begin('oauth_b')).browser],
      ['one that is signed in', async () => at(current().replicas.either(1), victim.browser)],
      ['one that is signed in and links', async () => (await linkFlow(current(), victim.browser, 'oauth_a')).browser],
      [
        'one with an invented cookie',
        async () => createBrowser(current().replicas.either(1), new Map([['service_oauth', 'A'.repeat(43)]])),
      ],
    ];
    for (const [name, browserOf] of browsers) {
      await ledger.attempt(name, async () => {
        const trip = await begin();
        const browser = await browserOf();
        const before = countRequests();
        const seen = await mustFail(current(), 'invalid_state', () => finish({ ...trip, browser }), FOREIGN);
        const after = countRequests();
        // The state was not consumed: the browser that began the flow can complete it.
        const { status } = await finish(trip);
        return seen ?? differs([status, after], [200, before]);
      });
    }
    await ledger.attempt('the victim is still signed in, and nothing is linked', async () => {
      const { json } = await at(current().replicas.either(1), victim.browser).get('/auth/session');
      const linked = await identitiesOf(current().replicas.database, victim.user_id);
      return differs([json.user?.user_id, linked], [victim.user_id, []]);
    });
  });

  cases('links that someone else began are refused', async (ledger) => {
    const { replicas, fakes } = current();
    const [thief, victim] = [await registerUser(replicas.either(0)), await registerUser(replicas.either(0))];
    await ledger.attempt('the thief’s cookie is put into the victim’s browser', async () => {
      newUser(fakes.oauth_a);
      const trip = await linkFlow(current(), thief.browser, 'oauth_a');
      const browser = createBrowser(replicas.either(1), new Map(victim.browser.jar));
      browser.jar.set('service_oauth', thief.browser.jar.get('service_oauth')!);
      return mustFail(current(), 'invalid_state', () => finish({ ...trip, browser }));
    });
    await ledger.attempt('a page of another origin requests a link, without the CSRF header', async () => {
      const { status, json } = await victim.browser.post('/auth/oauth/oauth_a/link', {}, { csrf: false });
      return differs([status, json.error.code], [403, 'csrf_failed']);
    });
    await ledger.attempt('the session ended meanwhile, at the other server', async () => {
      const gone = await registerUser(replicas.either(0));
      newUser(fakes.oauth_a);
      const trip = await linkFlow(current(), gone.browser, 'oauth_a');
      await at(replicas.either(0), gone.browser).post('/auth/logout');
      trip.browser.jar.set('service_oauth', trip.cookie);
      return mustFail(current(), 'invalid_state', () => finish(trip));
    });
    await ledger.attempt('an identity that is linked to another user', async () => {
      newUser(fakes.oauth_b);
      await signInWith(replicas.either(0), fakes.oauth_b);
      const trip = await linkFlow(current(), victim.browser, 'oauth_b');
      return mustFail(current(), 'identity_in_use', () => finish(trip));
    });
    await ledger.attempt('nothing is linked to either', async () => {
      const rows = await Promise.all([thief, victim].map(({ user_id }) => identitiesOf(replicas.database, user_id)));
      return differs(rows, [[], []]);
    });
    await ledger.attempt('an unchanged flow links the identity', async () => {
      newUser(fakes.oauth_a);
      return differs([(await finish(await linkFlow(current(), victim.browser, 'oauth_a'))).json.status], ['linked']);
    });
  });

  cases('replayed and forged states and codes are refused', async (ledger) => {
    for (const provider of isFull ? OAUTH_PROVIDERS : (['oauth_a', 'oauth_b'] as const)) {
      await ledger.attempt(`${provider}: the same callback again, at each server`, async () => {
        const trip = await begin(provider);
        if ((await finish(trip)).status !== 200) return 'it was not good once';
        for (const url of current().replicas.urls) {
          const browser = at(url, trip.browser);
          const seen = await mustFail(current(), 'invalid_state', () => finish({ ...trip, browser }), AGAIN);
          if (seen) return seen;
        }
        return undefined;
      });
      await ledger.attempt(`${provider}: a code that was used, in a new flow`, async () => {
        const { code, ...used } = await begin(provider);
        await finish(used);
        const trip = await begin(provider, used.browser);
        return mustFail(current(), 'provider_error', () => finish({ ...trip, path: changed(trip.path, { code }) }));
      });
      await ledger.attempt(`${provider}: an unused code of another user: PKCE`, async () => {
        const { code } = await begin(provider);
        const trip = await begin(provider);
        return mustFail(current(), 'provider_error', () => finish({ ...trip, path: changed(trip.path, { code }) }));
      });
    }
    const states: [string, (state: string) => string | undefined][] = [
      ['none', () => undefined],
      ['an empty one', () => ''],
      ['one bit changed', (state) => `${state.slice(0, 20)}${state[20] === 'A' ? 'B' : 'A'}${state.slice(21)}`],
      ['the last sign cut off', (state) => state.slice(0, -1)],
      ['padded', (state) => `${state}=`],
      ['NUL', () => '\u0000'],
      ['10,000 signs', () => 'A'.repeat(10_000)],
    ];
    for (const [name, of] of states) {
      await ledger.attempt(`a state: ${name}`, async () => {
        const trip = await begin();
        const path = changed(trip.path, { state: of(trip.state) });
        return mustFail(current(), 'invalid_state', () => finish({ ...trip, path }), FOREIGN);
      });
    }
    await ledger.attempt('a state given twice', async () => {
      const trip = await begin();
      const path = `${trip.path}&state=${trip.state}`;
      return mustFail(current(), 'invalid_state', () => finish({ ...trip, path }), FOREIGN);
    });
    await ledger.attempt('HEAD on the callback consumes nothing', async () => {
      const trip = await begin();
      const before = countRequests();
      const { rows } = await countingRows(
        current().replicas.database,
        ['oauth_states', 'sessions', 'audit_events'],
        () => trip.browser.send('HEAD', trip.path),
      );
      const asked = countRequests();
      const { status } = await finish(trip);
      return differs([rows, asked, status], [{ oauth_states: 0, sessions: 0, audit_events: 0 }, before, 200]);
    });
  });

  fullCases('of fifty concurrent callbacks with one state, on all servers, one succeeds', async (ledger) => {
    for (let round = 0; round < 10; round++) {
      await ledger.attempt(`round ${round + 1}`, async () => {
        const { replicas } = current();
        const trip = await begin(OAUTH_PROVIDERS[round % OAUTH_PROVIDERS.length]);
        const { result, rows } = await countingRows(
          replicas.database,
          ['users', 'identities', 'sessions', 'oauth_states'],
          () => replicas.many(50, (url) => finish({ ...trip, browser: createBrowser(url, new Map(trip.browser.jar)) })),
        );
        const words = [...new Set(result.filter(({ status }) => status !== 200).map(wordOf))];
        return differs(
          [tally(result), words, rows],
          [{ 200: 1, 401: 49 }, ['invalid_state'], { users: 1, identities: 1, sessions: 1, oauth_states: 1 }],
        );
      });
    }
  });

  cases('errors with markup are never part of the response', async (ledger) => {
    for (const error of isFull ? ERRORS_WITH_MARKUP : ERRORS_WITH_MARKUP.slice(0, 5)) {
      for (const [name, isOwn] of [
        ['in a flow', true],
        ['out of the blue', false],
      ] as const) {
        await ledger.attempt(`${JSON.stringify(error.slice(0, 40))} ${name}`, async () => {
          const trip = await begin();
          const fields = { error, error_description: error, error_uri: error, code: undefined };
          const path = changed(trip.path, isOwn ? fields : { ...fields, state: undefined });
          const { status, headers, text, set_cookies } = await trip.browser.get(path, {
            headers: { accept: 'text/html' },
          });
          const word = isOwn ? 'provider_error' : 'invalid_state';
          return differs([status, headers.location, text, set_cookies], [302, `/sign-in?error=${word}`, '', []]);
        });
      }
      await ledger.attempt(`${JSON.stringify(error.slice(0, 40))} as a form`, async () => {
        const form = new URLSearchParams({ error, state: error, code: error, iss: error, user: error });
        const answer = await newBrowser().send('POST', '/auth/oauth/oauth_d/callback', {
          body: form.toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        const location = String(answer.headers.location);
        const isOwnCallback = /^\/v1\/auth\/oauth\/oauth_d\/callback\?[\w%=&.+*-]*$/.test(location);
        return differs([answer.status, answer.text, isOwnCallback, answer.set_cookies], [303, '', true, []]);
      });
    }
  });
}
