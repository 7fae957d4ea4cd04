import { OAUTH_FAILURES, type OAuthFailure } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, PASSWORD, registerUser } from '../../../test/browser.ts';
import { countingRows, countSessions, setUser } from '../../../test/records.ts';
import { challenge, enrol } from '../../../test/second-factor.ts';
import {
  type AuthorizedFlow,
  arrive,
  authorizeAtProvider,
  begin,
  changed,
  expectFailure,
  newUser,
  openCallback,
  signInWith,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

/** Cookie names and attributes, without values. */
const shapesOf = (lines: readonly string[]) => lines.map((line) => line.replace(/=[^;]*/, ''));

describe('a successful callback', () => {
  it('in a browser: 302 to redirect_to, with the three cookies of a login', async () => {
    const account = await registerUser(third.app);
    const login = await createBrowser(third.app).post('/auth/login', { email: account.email, password: PASSWORD });
    newUser(third.fakes.oauth_a);
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a, {
      redirect_to: '/account?tab=2',
    });
    const answer = await browser.get(path);
    expect([answer.status, answer.headers.location, answer.text]).toEqual([302, '/account?tab=2', '']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(shapesOf(answer.set_cookies)).toEqual(shapesOf(login.set_cookies));
    expect(answer.set_cookies).toHaveLength(3);
    expect((await browser.get('/auth/session')).json.user.auth_method).toBe('social_oauth');
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    // Logout requires a CSRF value that belongs to this session.
    expect((await browser.post('/auth/logout')).status).toBe(204);
  });

  it.each([
    [undefined, 302],
    ['*/*', 302],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302],
    ['application/json', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['text/plain, application/json;q=0.5', 200],
    ['application/jsonp', 302],
  ])('with Accept: %s gets status %i', async (accept, status) => {
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const answer = await browser.get(path, accept === undefined ? {} : { headers: { accept } });
    expect(answer.status).toBe(status);
    expect(answer.set_cookies).toHaveLength(3);
    if (status === 200) expect(answer.json).toMatchObject({ status: 'success', access_token: expect.any(String) });
  });

  it('replaces the session of another user in this browser', async () => {
    const { browser, user_id } = await registerUser(third.app);
    newUser(third.fakes.oauth_a);
    const answer = await signInWith(third.app, third.fakes.oauth_a, { browser });
    expect(answer.status).toBe(200);
    expect((await browser.get('/auth/session')).json.user.user_id).not.toBe(user_id);
  });

  it('HEAD does not consume the state, so that scanners and prefetches do no harm', async () => {
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const { result, rows } = await countingRows(third.app, WRITTEN, () => browser.send('HEAD', path));
    expect([result.status, result.headers.location, result.text, result.set_cookies]).toEqual([
      302,
      '/sign-in?error=invalid_state',
      '',
      [],
    ]);
    expect(Object.values(rows)).toEqual(WRITTEN.map(() => 0));
    expect((await browser.get(path)).headers.location).toBe('/');
  });
});

describe('with a second factor', () => {
  const enrolled = async () => {
    newUser(third.fakes.oauth_a);
    const { browser, json } = await signInWith(third.app, third.fakes.oauth_a);
    const { user_id } = json.user;
    const account = { ...(await registerUser(third.app)), browser, user_id };
    return enrol(third.app, account);
  };

  it('in a browser: 302 to the MFA page with the token in the fragment, without cookies; the token works', async () => {
    const { app: authenticator, user_id } = await enrolled();
    const sessions = await countSessions(third.app, user_id);
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to: '/account' });
    const { status, headers, set_cookies } = await browser.get(path);
    expect([status, set_cookies]).toEqual([302, []]);
    expect(await countSessions(third.app, user_id)).toBe(sessions);
    const location = new URL(headers.location as string, 'http://localhost:8080');
    expect([location.pathname, location.search]).toEqual(['/sign-in/mfa', '']);
    const fragment = new URLSearchParams(location.hash.slice(1));
    expect([...fragment.keys()]).toEqual(['mfa_token', 'redirect_to']);
    expect(fragment.get('redirect_to')).toBe('/account');
    const answer = await challenge(third.app, fragment.get('mfa_token')!, { code: authenticator.code() });
    expect(answer.json).toMatchObject({ status: 'success', user: { user_id, aal: 'aal2' } });
  });

  it('as JSON: mfa_required', async () => {
    const { app: authenticator } = await enrolled();
    const answer = await signInWith(third.app, third.fakes.oauth_a);
    expect([answer.status, answer.set_cookies]).toEqual([200, []]);
    expect(answer.json).toEqual({
      status: 'mfa_required',
      mfa_token: expect.any(String),
      mfa_token_expires_in: 300,
    });
    expect((await answer.browser.get('/auth/session')).status).toBe(401);
    expect((await challenge(third.app, answer.json.mfa_token, { code: authenticator.code() })).status).toBe(200);
  });
});

describe('a failed callback', () => {
  let closed: ThirdParties;
  beforeAll(async () => {
    closed = await startThirdParties({ environment: { REGISTRATION: 'closed' } });
  });
  afterAll(() => closed.close());
  const redirect_to = '/account?tab=1';

  const linkOf = async (parties: ThirdParties): Promise<AuthorizedFlow> => {
    const { browser } = await registerUser(parties.app);
    const { authorization_url } = (await browser.post('/auth/oauth/oauth_a/link', { redirect_to })).json;
    return { browser, path: await arrive(browser, parties.fakes.oauth_a, authorization_url), state: '', code: '' };
  };
  /** How to cause each failure; called once for each form of the response. */
  const ways: [OAuthFailure, () => Promise<AuthorizedFlow>][] = [
    [
      'account_exists',
      async () => {
        const { email } = await registerUser(third.app);
        newUser(third.fakes.oauth_a, { email });
        return authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to });
      },
    ],
    [
      'identity_in_use',
      async () => {
        newUser(third.fakes.oauth_a);
        await signInWith(third.app, third.fakes.oauth_a);
        return linkOf(third);
      },
    ],
    [
      'email_missing',
      async () => {
        newUser(third.fakes.oauth_a, { email: null });
        return authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to });
      },
    ],
    [
      'registration_closed',
      async () => {
        newUser(closed.fakes.oauth_a);
        return authorizeAtProvider(closed.app, closed.fakes.oauth_a, { redirect_to });
      },
    ],
    ['access_denied', () => authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to, deny: true })],
    [
      'provider_error',
      () => authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to, deny: 'server_error' }),
    ],
    [
      'account_refused',
      async () => {
        newUser(third.fakes.oauth_a);
        const { user } = (await signInWith(third.app, third.fakes.oauth_a)).json;
        await setUser(third.app, user.user_id, { status: 'disabled' });
        return authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to });
      },
    ],
    [
      'invalid_state',
      async () => {
        newUser(third.fakes.oauth_a);
        const trip = await authorizeAtProvider(third.app, third.fakes.oauth_a, { redirect_to });
        await openCallback(trip);
        for (const name of ['service_at', 'service_rt', 'service_csrf']) trip.browser.jar.delete(name);
        return trip;
      },
    ],
  ];

  it('these tests cover every failure except rate_limited', () => {
    expect([...ways.map(([word]) => word), 'rate_limited'].sort()).toEqual(Object.keys(OAUTH_FAILURES).sort());
  });

  it.each(ways)('%s: a browser is redirected to the sign-in page, which keeps redirect_to', async (failure, make) => {
    const { browser, path } = await make();
    const answer = await browser.get(path);
    expect([answer.status, answer.text, answer.set_cookies]).toEqual([302, '', []]);
    expect(answer.headers.location).toBe(`/sign-in?${new URLSearchParams({ error: failure, redirect_to }).toString()}`);
  });

  it.each(ways)('%s: a request for JSON gets status, code and what to do', async (failure, make) => {
    expectFailure(await openCallback(await make()), failure);
  });

  it('failed callbacks have the documented statuses', () => {
    const { account_exists, identity_in_use, registration_closed, rate_limited, ...rest } = OAUTH_FAILURES;
    expect([account_exists, identity_in_use]).toEqual(['conflict', 'conflict']);
    expect([registration_closed, rate_limited]).toEqual(['forbidden', 'rate_limited']);
    expect(new Set(Object.values(rest))).toEqual(new Set(['authentication_required']));
  });

  it('without a flow: redirects to the sign-in page with invalid_state, without redirect_to', async () => {
    const answer = await createBrowser(third.app).get('/auth/oauth/oauth_a/callback?redirect_to=/x&error=y');
    expect([answer.status, answer.headers.location]).toEqual([302, '/sign-in?error=invalid_state']);
  });

  it.each([
    ['access_denied', 'access_denied'],
    ['user_cancelled_authorize', 'access_denied'],
    ['user_denied', 'access_denied'],
    ['Access_Denied', 'provider_error'],
    ['server_error', 'provider_error'],
    ['', 'provider_error'],
    ['constructor', 'provider_error'],
    ['<script>alert(1)</script>', 'provider_error'],
  ] as const)('error=%s leads to %s, and the redirect repeats nothing else of the query', async (error, failure) => {
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const asked = third.fakes.oauth_a.requests.length;
    const path = changed(trip.path, { error, error_description: 'say this', error_uri: 'https://evil.example' });
    const { headers } = await trip.browser.get(path);
    expect(headers.location).toBe(`/sign-in?error=${failure}`);
    expect(third.fakes.oauth_a.requests).toHaveLength(asked);
  });

  it.each([
    ['redirect_uri_mismatch', { error: 'redirect_uri_mismatch' }],
    ['refused', { error: 'no such word <script>' }],
    ['no_code', { code: '' }],
  ])('the log contains the cause: %s', async (cause, changes) => {
    const { app, fakes } = third;
    const way = await authorizeAtProvider(app, fakes.oauth_a);
    const answer = await openCallback({ ...way, path: changed(way.path, changes) });
    expectFailure(answer, 'provider_error');
    const request_id = answer.headers['x-request-id'];
    const lines = app.logs.filter((line) => line.request_id === request_id && line.cause !== undefined);
    expect(lines).toMatchObject([{ level: 40, provider: 'oauth_a', cause }]);
  });

  it('a provider that was disabled after the start of a flow gets no request', async () => {
    const trip = await authorizeAtProvider(closed.app, closed.fakes.oauth_b);
    await closed.app.deps.db.updateTable('provider_configs').set({ enabled: false }).execute();
    await closed.app.deps.providers.reload();
    const asked = closed.fakes.oauth_b.requests.length;
    expectFailure(await openCallback(trip), 'provider_error');
    expect(closed.fakes.oauth_b.requests).toHaveLength(asked);
  });
});

describe('malformed callback queries', () => {
  const CALLBACK = '/auth/oauth/oauth_a/callback';
  it.each([
    ['nothing', ''],
    ['an empty query', '?'],
    ['a code only', '?code=x'],
    ['lists', '?state=a&state=b&code=a&code=b'],
    ['brackets', '?state[]=a&state[x]=b&code[__proto__]=c'],
    ['a prototype', '?__proto__=x&constructor=y&toString=z'],
    ['NUL', '?state=%00&code=%00'],
    ['invalid UTF-8', '?state=%ff%fe&code=%c3%28'],
    ['invalid percent-encoding', '?state=%&code=%zz'],
    ['a lone surrogate', '?state=%ed%a0%80'],
    ['ten thousand characters', `?state=${'A'.repeat(10_000)}`],
    ['a thousand parameters', `?${'a=b&'.repeat(1000)}state=x`],
  ])('invalid_state for %s', async (_what, query) => {
    const browser = createBrowser(third.app);
    await begin(browser, 'oauth_a');
    const { result, rows } = await countingRows(third.app, WRITTEN, () => browser.get(CALLBACK + query));
    expect([result.status, result.headers.location]).toEqual([302, '/sign-in?error=invalid_state']);
    expect(Object.values(rows)).toEqual(WRITTEN.map(() => 0));
  });

  it.each([
    ['no code', undefined, 0],
    ['an empty code', '', 0],
    ['a code that is too long', 'x'.repeat(4097), 0],
    ['the longest code', 'x'.repeat(4096), 1],
    ['NUL', '\u0000', 1],
    ['a code with a header', 'x\r\nhost: evil.example', 1],
    ['a code with a query', 'x&redirect_uri=https://evil.example', 1],
    ['an unknown code', 'code-0123456789abcdef0123456789abcdef', 1],
  ])('provider_error with a valid state and %s', async (_what, code, questions) => {
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const asked = third.fakes.oauth_a.requests.length;
    expectFailure(await openCallback({ ...trip, path: changed(trip.path, { code }) }), 'provider_error');
    const requests = third.fakes.oauth_a.requests.slice(asked);
    expect(requests.map(({ form }) => form!.code)).toEqual(Array(questions).fill(code));
  });

  it('provider_error with a valid state and two codes, without a request to the provider', async () => {
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const asked = third.fakes.oauth_a.requests.length;
    expectFailure(await openCallback({ ...trip, path: `${trip.path}&code=${trip.code}` }), 'provider_error');
    expect(third.fakes.oauth_a.requests).toHaveLength(asked);
  });

  it.each(['oauth_z', 'email_transport', '%00'])('404 for provider %s', async (provider) => {
    expect((await createBrowser(third.app).get(`/auth/oauth/${provider}/callback?state=x`)).status).toBe(404);
  });

  it('the callback ignores an invalid Bearer token', async () => {
    newUser(third.fakes.oauth_a);
    const { browser, path } = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const headers = { authorization: 'Bearer not.a.token', accept: 'application/json' };
    expect((await browser.get(path, { headers })).status).toBe(200);
  });
});
