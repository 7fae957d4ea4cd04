import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, registerUser } from '../../../test/browser.ts';
import { SECRET } from '../../../test/harness.ts';
import { auditOf, countingRows } from '../../../test/records.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { type Flow, openFlow, sealFlow } from './flow.ts';
import {
  type AuthorizedFlow,
  arrive,
  authorizeAtProvider,
  begin,
  changed,
  expectFailure,
  expectRefused,
  newUser,
  openCallback,
  signInWith,
  startAnother,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
  writtenDown,
} from './oauth-fixture.ts';

const NOW = new Date('2030-01-15T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const keyOf = (text: string) => Buffer.alloc(32, text);

describe('the state of a flow', () => {
  const keyring = createKeyring(keyOf('one'));
  const linking = { user_id: '0190-user', session_id: '0190-session', isUnproven: true };
  const flow: Flow = { provider: 'oauth_c', redirect_to: '/a?b#c', linking };
  const sealed = sealFlow(keyring, flow, 'browser', NOW);

  it('a state decrypts to the sealed flow, with the nonce and the verifier that were made when it was sealed', () => {
    const { nonce, code_verifier } = sealed;
    const opened = openFlow(keyring, sealed.state, 'browser', NOW);
    expect(opened).toMatchObject({ ...flow, nonce, code_verifier, expires_at: later(600) });
    expect(new Set([nonce, code_verifier, sealed.state]).size).toBe(3);
    expect(code_verifier).toMatch(/^[\w-]{43}$/);
    const plain = sealFlow(keyring, { provider: 'oauth_a', redirect_to: '/' }, 'browser', NOW);
    expect(openFlow(keyring, plain.state, 'browser', NOW)).toMatchObject({
      linking: undefined,
      organization_id: undefined,
    });
    const named: Flow = { provider: 'oauth_a', redirect_to: '/', organization_id: '0190-organization' };
    const wanted: Flow = { provider: 'oauth_a', redirect_to: '/', locale: 'de-CH' };
    const welcomed = sealFlow(keyring, wanted, 'browser', NOW);
    expect(openFlow(keyring, welcomed.state, 'browser', NOW)).toMatchObject({ ...wanted, linking: undefined });
    const into = sealFlow(keyring, named, 'browser', NOW);
    expect(openFlow(keyring, into.state, 'browser', NOW)).toMatchObject({ ...named, linking: undefined });
  });

  it('a state does not decrypt with any bit changed, truncated or extended', () => {
    const bytes = Buffer.from(sealed.state, 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const other = Buffer.from(bytes);
      other[index]! ^= 1;
      expect(openFlow(keyring, other.toString('base64url'), 'browser', NOW), `byte ${index}`).toBeUndefined();
    }
    for (const length of [0, 1, 12, 27, 28, 29, bytes.length - 1]) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(openFlow(keyring, cut, 'browser', NOW), `${length} bytes`).toBeUndefined();
    }
    const longer = Buffer.concat([bytes, Buffer.from([0])]).toString('base64url');
    expect(openFlow(keyring, longer, 'browser', NOW)).toBeUndefined();
  });

  it.each(['', ' ', '.', 'A', 'A'.repeat(4097), '%00', 'é', '=', '{}', 'A'.repeat(37)])(
    '%j is not a state',
    (state) => {
      expect(openFlow(keyring, state, 'browser', NOW)).toBeUndefined();
    },
  );

  it('a valid state is rejected with padding or other characters before or after it', () => {
    for (const state of [`${sealed.state}=`, ` ${sealed.state}`, `${sealed.state}\n`, `${sealed.state}.`])
      expect(openFlow(keyring, state, 'browser', NOW), state).toBeUndefined();
  });

  it('a state does not decrypt for another browser', () => {
    for (const browser of ['Browser', 'browser ', '', 'another'])
      expect(openFlow(keyring, sealed.state, browser, NOW)).toBeUndefined();
  });

  it('a state is valid for ten minutes', () => {
    expect(openFlow(keyring, sealed.state, 'browser', later(599))).toBeDefined();
    expect(openFlow(keyring, sealed.state, 'browser', later(600))).toBeUndefined();
  });

  it('a state decrypts under the previous key, with the same nonce and verifier, and under no other', () => {
    const { nonce, code_verifier } = sealed;
    const changedKey = createKeyring(keyOf('two'), keyOf('one'));
    expect(openFlow(changedKey, sealed.state, 'browser', NOW)).toMatchObject({ nonce, code_verifier });
    expect(openFlow(createKeyring(keyOf('two')), sealed.state, 'browser', NOW)).toBeUndefined();
  });
});

describe('the state of a callback', () => {
  let third: ThirdParties;
  beforeAll(async () => {
    third = await startThirdParties();
  });
  afterAll(() => third.close());

  const depart = (options?: Parameters<typeof authorizeAtProvider>[2]) => {
    newUser(third.fakes.oauth_a);
    return authorizeAtProvider(third.app, third.fakes.oauth_a, options);
  };
  /** Expects that a callback of a flow of another browser writes nothing and sends the provider no request. */
  const expectForeign = async (trip: Pick<AuthorizedFlow, 'browser' | 'path'>) => {
    const asked = third.fakes.oauth_a.requests.length;
    const { result, rows } = await countingRows(third.app, WRITTEN, () => openCallback(trip));
    expectFailure(result, 'invalid_state');
    expect(Object.values(rows)).toEqual(WRITTEN.map(() => 0));
    expect(third.fakes.oauth_a.requests).toHaveLength(asked);
  };

  it('a state is rejected in another browser, or in one without the cookie', async () => {
    const trip = await depart();
    const other = createBrowser(third.app);
    await expectForeign({ ...trip, browser: other });
    await begin(other, 'oauth_a');
    await expectForeign({ ...trip, browser: other });
    // The rejected callback has not consumed the state.
    expect((await openCallback(trip)).status).toBe(200);
  });

  it('a state is rejected if the cookie is sent twice, in either order', async () => {
    const { browser, path } = await depart();
    const own = `service_oauth=${browser.jar.get('service_oauth')}`;
    for (const cookie of [`${own}; service_oauth=${'A'.repeat(43)}`, `service_oauth=x; ${own}`, `${own}; ${own}`]) {
      const headers = { cookie, accept: 'application/json' };
      expectFailure(await browser.get(path, { headers }), 'invalid_state');
    }
    expect((await openCallback({ browser, path })).status).toBe(200);
  });

  it('a state is rejected if tampered with, made up, or missing', async () => {
    const trip = await depart();
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
    const [inTime, late] = [await depart(), await depart()];
    third.app.clock.advance(599);
    expect((await openCallback(inTime)).status).toBe(200);
    third.app.clock.advance(1);
    await expectForeign(late);
  });

  it('a state is rejected the second time, also with another code', async () => {
    const trip = await depart();
    expect((await openCallback(trip)).status).toBe(200);
    const asked = third.fakes.oauth_a.requests.length;
    const again = await countingRows(third.app, WRITTEN, () => openCallback(trip));
    expectFailure(again.result, 'invalid_state');
    expect(again.rows).toMatchObject({ sessions: 0, oauth_states: 0, audit_events: 1 });
    const { code } = await depart();
    expectFailure(await openCallback({ ...trip, path: changed(trip.path, { code }) }), 'invalid_state');
    expect(third.fakes.oauth_a.requests).toHaveLength(asked);
  });

  it('of ten concurrent callbacks with one state, one is accepted', async () => {
    const trip = await depart();
    const answers = await Promise.all(Array.from({ length: 10 }, () => openCallback(trip)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
  });

  it('a state is consumed by a callback that was denied, failed, or empty', async () => {
    const spend = async (change: (path: string) => string, failure: Parameters<typeof expectRefused>[2]) => {
      const trip = await depart();
      await expectRefused(third.app, { ...trip, path: change(trip.path) }, failure);
      expectFailure(await openCallback(trip), 'invalid_state');
    };
    await spend((path) => changed(path, { code: undefined, error: 'access_denied' }), 'access_denied');
    await spend((path) => `${path}&error=access_denied`, 'access_denied');
    await spend((path) => changed(path, { error: 'server_error' }), 'provider_error');
    await spend((path) => changed(path, { code: undefined }), 'provider_error');
    await spend((path) => changed(path, { code: 'another' }), 'provider_error');
    await spend((path) => changed(path, { iss: 'https://accounts.google.com' }), 'invalid_state');
  });

  it('a state is rejected for another provider: neither provider gets a request, and the failure is audited', async () => {
    const trip = await depart();
    const path = trip.path.replace('oauth_a', 'oauth_b');
    const before = [third.fakes.oauth_a.requests.length, third.fakes.oauth_b.requests.length];
    await expectRefused(third.app, { ...trip, path }, 'invalid_state');
    expect([third.fakes.oauth_a.requests.length, third.fakes.oauth_b.requests.length]).toEqual(before);
    expectFailure(await openCallback(trip), 'invalid_state');
  });

  it.each(['oauth_a', 'oauth_d'] as const)('%s: a state is rejected with another issuer', async (provider) => {
    const fake = third.fakes[provider];
    newUser(fake);
    const from = async (iss: string) => {
      const trip = await authorizeAtProvider(third.app, fake);
      return { ...trip, path: changed(trip.path, { iss }) };
    };
    for (const iss of ['https://evil.example', `${fake.url}/`, fake.url.toUpperCase(), ''])
      await expectRefused(third.app, await from(iss), 'invalid_state');
    const twice = await from(fake.url);
    await expectRefused(third.app, { ...twice, path: `${twice.path}&iss=x` }, 'invalid_state');
    expect((await openCallback(await from(fake.url))).status).toBe(200);
  });

  it('the state of a link links an identity, and signs no one in', async () => {
    const user = await registerUser(third.app);
    newUser(third.fakes.oauth_b);
    const way = async (browser: Browser): Promise<AuthorizedFlow> => {
      const { authorization_url } = (await browser.post('/auth/oauth/oauth_b/link', {})).json;
      const path = await arrive(browser, third.fakes.oauth_b, authorization_url);
      return { browser, path, state: '', code: '' };
    };
    const trip = await way(user.browser);
    const { service_oauth } = Object.fromEntries(user.browser.jar);
    const outsider = createBrowser(third.app, new Map([['service_oauth', service_oauth!]]));
    const { result, rows } = await countingRows(third.app, WRITTEN, () => openCallback({ ...trip, browser: outsider }));
    expect([result.status, result.json.status, result.set_cookies], result.text).toEqual([200, 'linked', []]);
    expect(rows).toMatchObject({ users: 0, sessions: 0, identities: 1 });
    const { browser: otherBrowser } = await signInWith(third.app, third.fakes.oauth_a);
    otherBrowser.jar.set('service_oauth', service_oauth!);
    await expectRefused(third.app, { ...(await way(user.browser)), browser: otherBrowser }, 'invalid_state');
  });

  it('audit rows and log lines contain provider and reason, but no code, state or email', async () => {
    const { email } = newUser(third.fakes.oauth_c);
    third.fakes.oauth_c.token_fault = 'nonce';
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_c);
    await expectRefused(third.app, trip, 'provider_error');
    third.fakes.oauth_c.token_fault = undefined;
    const denied = await authorizeAtProvider(third.app, third.fakes.oauth_c, { deny: true });
    await expectRefused(third.app, denied, 'access_denied');
    const rows = await auditOf(third.app, { action: 'auth.oauth.failed' });
    expect(rows.slice(-2).map(({ metadata, actor_id }) => [metadata, actor_id])).toEqual([
      [{ provider: 'oauth_c', reason: 'provider_error' }, null],
      [{ provider: 'oauth_c', reason: 'access_denied' }, null],
    ]);
    const written = await writtenDown(third.app);
    for (const secret of [trip.code, trip.state, denied.state, email!, trip.browser.jar.get('service_oauth')!])
      expect(written).not.toContain(secret);
  });
});

describe('a change of JWT_SECRET', () => {
  it('a flow in progress works with the previous secret, and fails once that secret is removed', async () => {
    const third = await startThirdParties();
    const fake = third.fakes.oauth_a;
    const depart = () => authorizeAtProvider(third.app, fake, { redirect_to: '/on' });
    newUser(fake);
    const [first, second] = [await depart(), await depart()];
    const JWT_SECRET = 'another secret that is long enough to be one';
    const known = await startAnother(third, { JWT_SECRET, JWT_SECRET_PREVIOUS: SECRET });
    const answer = await createBrowser(known, first.browser.jar).get(first.path);
    expect([answer.status, answer.headers.location]).toEqual([302, '/on']);
    await known.close();
    const lost = await startAnother(third, { JWT_SECRET });
    expectFailure(await openCallback({ ...second, browser: createBrowser(lost, second.browser.jar) }), 'invalid_state');
    await lost.close();
    await third.close();
  });
});
