import { OAUTH_PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser } from '../../../test/browser.ts';
import { countingRows, recorded } from '../../../test/records.ts';
import {
  authorizeAtProvider,
  begin,
  expectFailure,
  expectRefused,
  newUser,
  openCallback,
  signInWith,
  startAnother,
  startThirdParties,
  type ThirdParties,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const FORM = 'application/x-www-form-urlencoded';
const CALLBACK = '/auth/oauth/oauth_d/callback';

const post = (body: string | URLSearchParams, type: string | undefined = FORM, path = CALLBACK) =>
  createBrowser(third.app).send('POST', path, {
    body: String(body),
    headers: { 'content-type': type },
    cookies: false,
  });

const queryOf = async (body: string | URLSearchParams) => {
  const { status, headers } = await post(body);
  expect(status).toBe(303);
  const { pathname, searchParams } = new URL(headers.location as string, 'http://localhost:8080');
  expect(pathname).toBe(`/v1${CALLBACK}`);
  return [...searchParams];
};

describe('POST /auth/oauth/:provider/callback', () => {
  it('a form from Apple without cookies leads to a GET with cookies, which signs in', async () => {
    const fake = third.fakes.oauth_d;
    const account = newUser(fake);
    const browser = createBrowser(third.app);
    const { form } = await fake.authorize(await begin(browser, 'oauth_d', '/account'));
    const posted = await post(new URLSearchParams(form));
    expect([posted.status, posted.text, posted.set_cookies]).toEqual([303, '', []]);
    expect(posted.headers['cache-control']).toBe('no-store');
    const location = posted.headers.location as string;
    expect(location).toMatch(/^\/v1\/auth\/oauth\/oauth_d\/callback\?/);
    const answer = await browser.get(location.replace('/v1', ''));
    expect([answer.status, answer.headers.location]).toEqual([302, '/account']);
    expect((await browser.get('/auth/session')).json.user.email).toBe(account.email);
  });

  it('a form in which the user denied access leads to access_denied', async () => {
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_d, { deny: true });
    expect(trip.path).toContain('error=user_cancelled_authorize');
    await expectRefused(third.app, trip, 'access_denied');
  });

  it('passes on only the parameters of a callback, unchanged', async () => {
    const fields = { state: 'a b+c&d=é', code: '"<x>"', error: '', iss: 'https://x.example', user: '{"name":{}}' };
    const given = new URLSearchParams({ ...fields, id_token: 'x', redirect_to: '//evil.example', scope: 'y' });
    expect(await queryOf(given)).toEqual(Object.entries(fields));
    expect(await queryOf('')).toEqual([]);
    expect(await queryOf('__proto__=x&constructor=y&toString=z')).toEqual([]);
  });

  it('drops a repeated field', async () => {
    expect(await queryOf('state=a&code=b&state=c')).toEqual([['code', 'b']]);
    expect(await queryOf('state=a&code=b&%73tate=a')).toEqual([['code', 'b']]);
  });

  it('does not let a line break in a field inject a header', async () => {
    const { status, headers } = await post('state=a%0d%0aset-cookie:%20x=y&code=%00%ff');
    expect(status).toBe(303);
    expect(headers.location).toBe(`/v1${CALLBACK}?state=a%0D%0Aset-cookie%3A+x%3Dy&code=%00%EF%BF%BD`);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('drops a field that makes the URL too long, measured after encoding', async () => {
    const long = 'x'.repeat(7000);
    expect(await queryOf(`state=${long}&code=y&user=${long}`)).toEqual([
      ['state', long],
      ['code', 'y'],
    ]);
    expect(await queryOf(`state=${'x'.repeat(9000)}&code=y`)).toEqual([['code', 'y']]);
    // Each of these characters takes at least three characters in a query.
    for (const letter of ["'", '(', '~', '!', '/', 'é', '💥']) {
      const { headers } = await post(new URLSearchParams({ state: 's', user: letter.repeat(3000) }));
      expect(headers.location, letter).toBe(`/v1${CALLBACK}?state=s`);
    }
    expect((await post(`state=${'x'.repeat(70_000)}`)).status).toBe(400);
  });

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencodedx',
    ';;;',
  ])('400 for the content type %s', async (type) => {
    const answer = await post('state=a&code=b', type);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
  });

  it.each([`${FORM}; charset=UTF-8`, 'Application/X-WWW-Form-Urlencoded', `${FORM} ; x`])(
    '303 for a form with the content type %s',
    async (type) => {
      expect((await post('state=a', type)).status).toBe(303);
    },
  );

  it.each(['oauth_z', 'email_transport', '%00', 'OAUTH_D'])('404 for provider %s', async (provider) => {
    expect((await post('state=a', FORM, `/auth/oauth/${provider}/callback`)).status).toBe(404);
  });

  it('the form post needs no CSRF value and no session, and sends no query to the database', async () => {
    const { browser } = await registerUser(third.app);
    const { result, statements } = await recorded(third.app, () =>
      countingRows(third.app, ['audit_events'], async () => {
        const ask = { body: 'state=a', headers: { 'content-type': FORM }, csrf: false };
        return browser.send('POST', CALLBACK, ask);
      }),
    );
    expect([result.result.status, result.result.set_cookies]).toEqual([303, []]);
    expect(result.rows).toEqual({ audit_events: 0 });
    expect(statements).toHaveLength(2);
  });

  it('the form post works for every provider, at the configured path', async () => {
    for (const provider of OAUTH_PROVIDERS) {
      const { headers } = await post('state=a', FORM, `/auth/oauth/${provider}/callback`);
      expect(headers.location).toBe(`/v1/auth/oauth/${provider}/callback?state=a`);
    }
    const other = await startAnother(third, { ROUTE_PREFIX: '/api/id', PUBLIC_BASE_URL: 'https://id.example.com' });
    const { headers } = await other.server.inject({
      method: 'POST',
      url: '/api/id/auth/oauth/oauth_d/callback',
      headers: { 'content-type': FORM },
      payload: 'state=a',
    });
    expect(headers.location).toBe('/api/id/auth/oauth/oauth_d/callback?state=a');
    await other.close();
  });
});

describe('the name that Apple sends through the browser', () => {
  const nameAfter = async (user: string | undefined) => {
    const fake = third.fakes.oauth_d;
    const account = newUser(fake);
    const browser = createBrowser(third.app);
    const { form } = await fake.authorize(await begin(browser, 'oauth_d'));
    const { user: _, ...rest } = form!;
    const posted = await post(new URLSearchParams({ ...rest, ...(user !== undefined && { user }) }));
    const answer = await openCallback({ browser, path: (posted.headers.location as string).replace('/v1', '') });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.user.email).toBe(account.email);
    return answer.json.user.display_name;
  };
  const named = (firstName: unknown, lastName: unknown) => JSON.stringify({ name: { firstName, lastName } });

  it('the name from Apple is stored at the first sign-in; later ones are ignored', async () => {
    const fake = third.fakes.oauth_d;
    newUser(fake, { name: 'Ada Lovelace' });
    const first = await signInWith(third.app, fake);
    expect(first.json.user.display_name).toBe('Ada Lovelace');
    const trip = await authorizeAtProvider(third.app, fake);
    const path = `${trip.path}&${new URLSearchParams({ user: named('Eve', 'Evil') })}`;
    const again = await openCallback({ ...trip, path });
    expect(again.json.user).toMatchObject({ user_id: first.json.user.user_id, display_name: 'Ada Lovelace' });
  });

  it.each([
    ['nothing', undefined, null],
    ['a first name alone', named('Ada', undefined), 'Ada'],
    ['spaces', named('  ', ' '), null],
    ['control and bidi characters', named('A\u0000d\na', '\u202eecalevoL\u2069'), 'Ada ecalevoL'],
    ['another address', '{"name":{"firstName":"Ada"},"email":"victim@example.com","sub":"1"}', 'Ada'],
    ['not JSON', '{', null],
    ['null', 'null', null],
    ['a list', '[1]', null],
    ['a string', '"Ada"', null],
    ['a name that is a string', '{"name":"Ada"}', null],
    ['names that are not strings', named({ a: 1 }, ['x']), null],
    ['a lone surrogate', '{"name":{"firstName":"\\ud800"}}', null],
    ['a prototype', '{"__proto__":{"name":{"firstName":"Ada"}}}', null],
    ['a long name', named('x'.repeat(500), ''), 'x'.repeat(120)],
    ['brackets', '['.repeat(2000), null],
  ])('the name from Apple is read from a field with %s, or is null', async (_what, user, name) =>
    expect(await nameAfter(user)).toBe(name),
  );

  it('a name in the form is ignored for other providers', async () => {
    newUser(third.fakes.oauth_a, { name: null });
    const trip = await authorizeAtProvider(third.app, third.fakes.oauth_a);
    const answer = await openCallback({
      ...trip,
      path: `${trip.path}&${new URLSearchParams({ user: named('Eve', '') })}`,
    });
    expect(answer.json.user.display_name).toBeNull();
    expectFailure(await openCallback(trip), 'invalid_state');
  });
});
