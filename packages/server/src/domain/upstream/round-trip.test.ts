import type { OAuthFailure } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, type Browser, createBrowser } from '../../../test/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../../test/openid-provider.ts';
import { auditOf, countingRows } from '../../../test/records.ts';
import { CLIENT } from '../../../test/sso-fixture.ts';
import {
  type AuthorizedFlow,
  authorizeAtProvider,
  begin,
  changed,
  expectFailure,
  newUser,
  openCallback,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
  wordOf,
  writtenDown,
} from '../../features/social/oauth-fixture.ts';
import { createCompany } from '../../features/sso/sign-in-fixture.ts';

interface Departure {
  readonly redirect_to?: string;
  readonly deny?: string;
}

/** A user of each round trip: what the tests below need to know about its provider. */
interface Upstream {
  /** The action and the metadata of the audit row of a failure. */
  readonly action: 'auth.oauth.failed' | 'auth.sso.refused';
  readonly metadata: Record<string, string>;
  readonly issuer: string;
  /** Starts a flow in this browser. */
  begin(browser: Browser): Promise<unknown>;
  /** Starts a flow of a new user and authorizes it at the provider. */
  depart(departure?: Departure): Promise<AuthorizedFlow & { email: string }>;
  /** The same response at the callback of another provider or connection. */
  elsewhere(path: string): string;
  requests(): readonly { readonly path: string }[];
  /** Whether token requests fail. */
  setBroken(broken: boolean): void;
}

let third: ThirdParties;
let openId: OpenIdProvider;
let upstreams: Record<Name, Upstream>;
type Name = 'a social provider' | 'a connection by OpenID Connect';

const NAMES: readonly Name[] = ['a social provider', 'a connection by OpenID Connect'];
const fault = { at: 'token', how: { status: 500, body: '' } } as const;

function useUpstreams(environment: Record<string, string> = {}): void {
  beforeAll(async () => {
    third = await startThirdParties({ environment });
    openId = await startOpenIdProvider({ now: third.app.clock.now });
    openId.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
    upstreams = { [NAMES[0]!]: socialUpstream(), [NAMES[1]!]: await connectionUpstream() } as typeof upstreams;
  });
  afterAll(async () => {
    await third.close();
    await openId.close();
  });
}

function socialUpstream(): Upstream {
  const { app, fakes } = third;
  const fake = fakes.oauth_a;
  return {
    action: 'auth.oauth.failed',
    metadata: { provider: 'oauth_a' },
    issuer: fake.url,
    begin: (browser) => begin(browser, 'oauth_a'),
    async depart(departure) {
      const { email } = newUser(fake);
      return { ...(await authorizeAtProvider(app, fake, departure)), email: email! };
    },
    elsewhere: (path) => path.replace('oauth_a', 'oauth_b'),
    requests: () => [...fake.requests, ...fakes.oauth_b.requests],
    setBroken: (broken) => Object.assign(fake, { fault: broken ? fault : undefined }),
  };
}

async function connectionUpstream(): Promise<Upstream> {
  const { app } = third;
  const [company, other] = [await createCompany(app, openId), await createCompany(app, openId)];
  const { connection_id } = company;
  const beginIn = (browser: Browser, redirect_to = '/') =>
    browser.get(`/auth/sso/${connection_id}/start?${new URLSearchParams({ redirect_to })}`);
  return {
    action: 'auth.sso.refused',
    metadata: { connection_id },
    issuer: openId.issuer,
    begin: beginIn,
    async depart({ redirect_to, deny } = {}) {
      const email = company.email();
      openId.user = { sub: uuid(), email, email_verified: true };
      const browser = createBrowser(app);
      const { location } = (await beginIn(browser, redirect_to)).headers;
      const path = openId.authorize(String(location), deny === undefined ? {} : { deny });
      const query = new URLSearchParams(path.split('?')[1]);
      return { browser, path, email, state: query.get('state') ?? '', code: query.get('code') ?? '' };
    },
    elsewhere: (path) => path.replace(connection_id, other.connection_id),
    requests: () => openId.requests,
    setBroken: (broken) => Object.assign(openId, { fault: broken ? fault : undefined }),
  };
}

type Trip = Pick<AuthorizedFlow, 'browser' | 'path'>;

describe('the state', () => {
  useUpstreams({ LIMIT_OAUTH_PER_ADDRESS: '1000/1m' });

  describe.each(NAMES)('of a round trip to %s', (name) => {
    /** Expects that a callback of a flow of another browser writes nothing and sends the provider no request. */
    const expectForeign = async (trip: Trip) => {
      const asked = upstreams[name].requests().length;
      const { result, rows } = await countingRows(third.app, WRITTEN, () => openCallback(trip));
      expectFailure(result, 'invalid_state');
      expect(Object.values(rows)).toEqual(WRITTEN.map(() => 0));
      expect(upstreams[name].requests()).toHaveLength(asked);
    };
    /** Expects that the callback writes one audit row, and consumes the state. */
    const expectRefused = async (trip: Trip, failure: OAuthFailure) => {
      const { result, rows } = await countingRows(third.app, WRITTEN, () => openCallback(trip));
      expectFailure(result, failure);
      expect(rows).toEqual({
        users: 0,
        organizations: 0,
        identities: 0,
        sessions: 0,
        audit_events: 1,
        oauth_states: 1,
      });
      const [row] = (await auditOf(third.app, { action: upstreams[name].action })).slice(-1);
      expect(row).toMatchObject({ outcome: 'failure', metadata: { reason: failure } });
    };

    it('a state is rejected in another browser, or in one without the cookie', async () => {
      const trip = await upstreams[name].depart();
      const other = createBrowser(third.app);
      await expectForeign({ ...trip, browser: other });
      await upstreams[name].begin(other);
      await expectForeign({ ...trip, browser: other });
      // The rejected callback has not consumed the state.
      expect((await openCallback(trip)).status).toBe(200);
    });

    it('a state is rejected if the cookie is sent twice, in either order', async () => {
      const { browser, path } = await upstreams[name].depart();
      const own = `service_oauth=${browser.jar.get('service_oauth')}`;
      for (const cookie of [`${own}; service_oauth=${'A'.repeat(43)}`, `service_oauth=x; ${own}`, `${own}; ${own}`]) {
        const headers = { cookie, accept: 'application/json' };
        expectFailure(await browser.get(path, { headers }), 'invalid_state');
      }
      expect((await openCallback({ browser, path })).status).toBe(200);
    });

    it('a state is rejected if tampered with, made up, or missing', async () => {
      const trip = await upstreams[name].depart();
      const bytes = Buffer.from(trip.state, 'base64url');
      const flipped = (index: number) => {
        const other = Buffer.from(bytes);
        other[index]! ^= 0x80;
        return other.toString('base64url');
      };
      const states = [0, 11, 12, 27, 28, bytes.length - 1].map(flipped);
      for (const state of [...states, `${trip.state}A`, trip.state.slice(1), '', 'x', '\u0000', '💥', undefined])
        await expectForeign({ ...trip, path: changed(trip.path, { state }) });
      await expectForeign({ ...trip, path: `${trip.path}&state=${trip.state}` });
      await expectForeign({ ...trip, path: `${trip.path}&state=x` });
      expect((await openCallback(trip)).status).toBe(200);
    });

    it('a state is rejected after ten minutes, and accepted a second before', async () => {
      const [inTime, late] = [await upstreams[name].depart(), await upstreams[name].depart()];
      third.app.clock.advance(599);
      expect((await openCallback(inTime)).status).toBe(200);
      third.app.clock.advance(1);
      await expectForeign(late);
    });

    it('a state is rejected the second time, also with another code', async () => {
      const trip = await upstreams[name].depart();
      expect((await openCallback(trip)).status).toBe(200);
      const { code } = await upstreams[name].depart();
      const asked = upstreams[name].requests().length;
      const again = await countingRows(third.app, WRITTEN, () => openCallback(trip));
      expectFailure(again.result, 'invalid_state');
      expect(again.rows).toMatchObject({ sessions: 0, oauth_states: 0, audit_events: 1 });
      expectFailure(await openCallback({ ...trip, path: changed(trip.path, { code }) }), 'invalid_state');
      expect(upstreams[name].requests()).toHaveLength(asked);
    });

    it('of ten concurrent callbacks with one state, one is accepted', async () => {
      const trip = await upstreams[name].depart();
      const answers = await Promise.all(Array.from({ length: 10 }, () => openCallback(trip)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    });

    it.each<[string, (path: string) => string, OAuthFailure]>([
      ['denied', (path) => changed(path, { code: undefined, error: 'access_denied' }), 'access_denied'],
      ['denied, with a code', (path) => `${path}&error=access_denied`, 'access_denied'],
      ['an error', (path) => changed(path, { error: 'server_error' }), 'provider_error'],
      ['empty', (path) => changed(path, { code: undefined }), 'provider_error'],
      ['a code of another flow', (path) => changed(path, { code: 'another' }), 'provider_error'],
      ['of another issuer', (path) => changed(path, { iss: 'https://accounts.example' }), 'invalid_state'],
    ])('a state is consumed by a response that is %s', async (_what, change, failure) => {
      const trip = await upstreams[name].depart();
      await expectRefused({ ...trip, path: change(trip.path) }, failure);
      expectFailure(await openCallback(trip), 'invalid_state');
    });

    it('a state is rejected elsewhere: no provider gets a request, and the failure is audited', async () => {
      const trip = await upstreams[name].depart();
      const before = upstreams[name].requests().length;
      await expectRefused({ ...trip, path: upstreams[name].elsewhere(trip.path) }, 'invalid_state');
      expect(upstreams[name].requests()).toHaveLength(before);
      expectFailure(await openCallback(trip), 'invalid_state');
    });

    it('a response is rejected if it names another issuer, or two', async () => {
      const { issuer, depart } = upstreams[name];
      const from = async (iss: string) => {
        const trip = await depart();
        return { ...trip, path: changed(trip.path, { iss }) };
      };
      for (const iss of ['https://evil.example', `${issuer}/`, issuer.toUpperCase(), ''])
        await expectRefused(await from(iss), 'invalid_state');
      const twice = await from(issuer);
      await expectRefused({ ...twice, path: `${twice.path}&iss=x` }, 'invalid_state');
      expect((await openCallback(await from(issuer))).status).toBe(200);
    });

    it('audit rows and log lines contain provider and reason, but no code, state or email', async () => {
      const { depart, setBroken, action, metadata } = upstreams[name];
      setBroken(true);
      const trip = await depart();
      await expectRefused(trip, 'provider_error');
      setBroken(false);
      const denied = await depart({ deny: 'access_denied' });
      await expectRefused(denied, 'access_denied');
      const rows = (await auditOf(third.app, { action })).slice(-2);
      expect(rows.map(({ metadata, actor_id }) => [metadata, actor_id])).toEqual([
        [{ ...metadata, reason: 'provider_error' }, null],
        [{ ...metadata, reason: 'access_denied' }, null],
      ]);
      const written = await writtenDown(third.app);
      for (const secret of [trip.code, trip.state, denied.state, trip.email, trip.browser.jar.get('service_oauth')!])
        expect(written).not.toContain(secret);
    });
  });
});

describe('LIMIT_OAUTH_PER_ADDRESS', () => {
  useUpstreams({ LIMIT_OAUTH_PER_ADDRESS: '3/20m' });

  describe.each(NAMES)('at %s', (name) => {
    beforeEach(() => third.app.clock.advance(1200));

    const signIn = async () => openCallback(await upstreams[name].depart());

    it('after too many failed requests to the provider, none is sent until the window ends', async () => {
      const { depart, setBroken, requests, begin } = upstreams[name];
      const [good, forBrowser] = [await depart(), await depart({ redirect_to: '/a' })];
      // Callbacks without a flow are not counted.
      for (let count = 0; count < 5; count++) await openCallback({ ...good, path: changed(good.path, { state: 'x' }) });
      setBroken(true);
      for (let count = 0; count < 2; count++) expectFailure(await signIn(), 'provider_error');
      third.app.clock.advance(300);
      expectFailure(await signIn(), 'provider_error');
      setBroken(false);
      const asked = requests().length;
      const { result, rows } = await countingRows(third.app, WRITTEN, () => openCallback(good));
      expectFailure(result, 'rate_limited');
      expect(result.headers['retry-after']).toBe('900');
      expect(rows).toMatchObject({ audit_events: 0, sessions: 0, oauth_states: 1 });
      const led = await forBrowser.browser.get(forBrowser.path);
      expect(led.headers.location).toBe('/sign-in?error=rate_limited&redirect_to=%2Fa');
      expect(requests()).toHaveLength(asked);
      expect(await begin(createBrowser(third.app))).toBeDefined();
      third.app.clock.advance(900);
      expect((await signIn()).status).toBe(200);
    });

    it('successful sign-ins are not limited', async () => {
      for (let count = 0; count < 5; count++) expect((await signIn()).status).toBe(200);
    });

    it('concurrent successful sign-ins over the limit may get 429, but later ones do not', async () => {
      const trips = await atOnce(8, () => upstreams[name].depart());
      const answers = await Promise.all(trips.map((trip) => openCallback(trip)));
      for (const answer of answers) expect([200, 429]).toContain(answer.status);
      for (let count = 0; count < 4; count++) expect((await signIn()).status).toBe(200);
    });

    it('failures without a request to the provider block no sign-in, and are audited up to the limit', async () => {
      const { depart, action } = upstreams[name];
      const before = (await auditOf(third.app, { action })).length;
      for (let count = 0; count < 6; count++) {
        const trip = await depart();
        expectFailure(await openCallback({ ...trip, path: changed(trip.path, { error: 'x' }) }), 'provider_error');
      }
      expect(await auditOf(third.app, { action })).toHaveLength(before + 3);
      expect((await signIn()).status).toBe(200);
    });

    it('concurrent requests do not exceed the limit', async () => {
      const { depart, setBroken, requests } = upstreams[name];
      const trips = await atOnce(12, () => depart());
      setBroken(true);
      const tokenRequests = () => requests().filter(({ path }) => path.endsWith('/token'));
      const asked = tokenRequests().length;
      const answers = await Promise.all(trips.map((trip) => openCallback(trip)));
      setBroken(false);
      expect(tokenRequests()).toHaveLength(asked + 3);
      const words = answers.map(wordOf);
      expect(words.filter((word) => word === 'provider_error')).toHaveLength(3);
      expect(words.filter((word) => word === 'rate_limited')).toHaveLength(9);
    });
  });
});
