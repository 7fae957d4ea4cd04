import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, registerUser } from '../../../test/browser.ts';
import { SECRET } from '../../../test/harness.ts';
import { countingRows } from '../../../test/records.ts';
import {
  type AuthorizedFlow,
  arrive,
  authorizeAtProvider,
  expectRefused,
  newUser,
  openCallback,
  signInWith,
  startAnother,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
} from './oauth-fixture.ts';

describe('the state of a link', () => {
  let third: ThirdParties;
  beforeAll(async () => {
    third = await startThirdParties();
  });
  afterAll(() => third.close());

  it('links an identity, and signs no one in', async () => {
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
});

describe('a change of JWT_SECRET', () => {
  it('a flow in progress works with the previous secret', async () => {
    const third = await startThirdParties();
    const fake = third.fakes.oauth_a;
    newUser(fake);
    const { browser, path } = await authorizeAtProvider(third.app, fake, { redirect_to: '/on' });
    const JWT_SECRET = 'another secret that is long enough to be one';
    const known = await startAnother(third, { JWT_SECRET, JWT_SECRET_PREVIOUS: SECRET });
    const answer = await createBrowser(known, browser.jar).get(path);
    expect([answer.status, answer.headers.location]).toEqual([302, '/on']);
    await known.close();
    await third.close();
  });
});
