import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, createBrowser } from '../../../test/browser.ts';
import { auditOf, countingRows } from '../../../test/records.ts';
import {
  authorizeAtProvider,
  changed,
  expectFailure,
  newUser,
  openCallback,
  signInWith,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties({ environment: { LIMIT_OAUTH_PER_ADDRESS: '3/20m' } });
});
afterAll(() => third.close());
beforeEach(() => third.app.clock.advance(1200));

describe('LIMIT_OAUTH_PER_ADDRESS', () => {
  it('after too many failed requests to the provider, none is sent until the window ends', async () => {
    const { app, fakes } = third;
    const fake = fakes.oauth_a;
    newUser(fake);
    const [good, forBrowser] = [
      await authorizeAtProvider(app, fake),
      await authorizeAtProvider(app, fake, { redirect_to: '/a' }),
    ];
    // Callbacks without a flow are not counted.
    for (let count = 0; count < 5; count++) await openCallback({ ...good, path: changed(good.path, { state: 'x' }) });
    fake.token_fault = 'nonce';
    for (let count = 0; count < 2; count++) expectFailure(await signInWith(app, fake), 'provider_error');
    fake.token_fault = undefined;
    app.clock.advance(300);
    fakes.oauth_b.fault = { at: 'token', how: 500 };
    expectFailure(await signInWith(app, fakes.oauth_b), 'provider_error');
    fakes.oauth_b.fault = undefined;
    const asked = fake.requests.length;
    const { result, rows } = await countingRows(app, WRITTEN, () => openCallback(good));
    expectFailure(result, 'rate_limited');
    expect(result.headers['retry-after']).toBe('900');
    expect(rows).toMatchObject({ audit_events: 0, sessions: 0, oauth_states: 1 });
    const led = await forBrowser.browser.get(forBrowser.path);
    expect(led.headers.location).toBe('/sign-in?error=rate_limited&redirect_to=%2Fa');
    expect(fake.requests).toHaveLength(asked);
    expect((await createBrowser(app).get('/auth/oauth/oauth_a/start')).status).toBe(302);
    app.clock.advance(900);
    expect((await signInWith(app, fake)).status).toBe(200);
  });

  it('successful sign-ins are not limited', async () => {
    const { app, fakes } = third;
    newUser(fakes.oauth_a);
    for (let count = 0; count < 5; count++) expect((await signInWith(app, fakes.oauth_a)).status).toBe(200);
  });

  it('concurrent successful sign-ins over the limit may get 429, but later ones do not', async () => {
    const { app, fakes } = third;
    newUser(fakes.oauth_a);
    const ways = await atOnce(8, () => authorizeAtProvider(app, fakes.oauth_a));
    const answers = await Promise.all(ways.map((way) => openCallback(way)));
    for (const answer of answers) expect([200, 429]).toContain(answer.status);
    for (let count = 0; count < 4; count++) expect((await signInWith(app, fakes.oauth_a)).status).toBe(200);
  });

  it('failures without a request to the provider block no sign-in, and are audited up to the limit', async () => {
    const { app, fakes } = third;
    const before = (await auditOf(app, { action: 'auth.oauth.failed' })).length;
    for (let count = 0; count < 6; count++) {
      const way = await authorizeAtProvider(app, fakes.oauth_a);
      expectFailure(await openCallback({ ...way, path: changed(way.path, { error: 'x' }) }), 'provider_error');
    }
    expect(await auditOf(app, { action: 'auth.oauth.failed' })).toHaveLength(before + 3);
    newUser(fakes.oauth_b);
    expect((await signInWith(app, fakes.oauth_b)).status).toBe(200);
  });

  it('concurrent requests do not exceed the limit', async () => {
    const { app, fakes } = third;
    const fake = fakes.oauth_a;
    const ways = await atOnce(12, () => authorizeAtProvider(app, fake));
    fake.fault = { at: 'token', how: 500 };
    const asked = fake.requests.length;
    const answers = await Promise.all(ways.map((way) => openCallback(way)));
    fake.fault = undefined;
    expect(fake.requests).toHaveLength(asked + 3);
    const words = answers.map(wordOf);
    expect(words.filter((word) => word === 'provider_error')).toHaveLength(3);
    expect(words.filter((word) => word === 'rate_limited')).toHaveLength(9);
  });
});
