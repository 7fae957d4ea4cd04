import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { auditOf, liveSessions } from '../../server/test/records.ts';
import { openBrowser } from './browser-fixture.ts';
import { createClient } from './index.ts';

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterEach(() => vi.unstubAllGlobals());

const page = 'https://app.example.com/board';
const REFRESH = '/auth/refresh';
const SIGNED_OUT = { code: 'authentication_required', signed_out: true };

/** A user who has signed in on the hosted pages and returns to a product. */
async function arrive(options: { locks?: boolean } = {}) {
  const registered = await registerUser(app);
  return { ...registered, browser: openBrowser(base, { ...options, jar: registered.browser.jar, page }) };
}

describe('a page of a product, on another host name', () => {
  it('a page on another host name gets its access token with the refresh cookie, once for all calls, and sends it as Bearer', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    const [{ user }, token] = await Promise.all([tab.session.current(), tab.accessToken(), tab.account.read()]);
    expect(user.user_id).toBe(user_id);
    await tab.account.update({ display_name: 'Ada' });
    expect(browser.askedFor(REFRESH)).toHaveLength(1);
    const others = browser.asked.filter(({ path }) => path !== REFRESH);
    expect(others.map(({ authorization, csrf }) => [authorization, csrf])).toEqual(
      others.map(() => [`Bearer ${token}`, null]),
    );
  });

  it('a page on another host name renews an access token that has expired by the clock of the page, or only by that of the service', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    const first = await tab.accessToken();
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    const second = await tab.accessToken();
    expect(second).not.toBe(first);
    vi.useFakeTimers({ now: Date.now() + app.deps.config.ACCESS_TOKEN_TTL * 1000, toFake: ['Date'] });
    expect(await tab.accessToken()).not.toBe(second);
    vi.useRealTimers();
  });

  it.each([true, false])(
    'a page on another host name stays signed in when two tabs refresh at the same time; Web Locks: %s',
    async (locks) => {
      const { browser, user_id, session_id } = await arrive({ locks });
      for (let round = 0; round < 3; round++) {
        const tabs = [browser.openTab(), browser.openTab()];
        await Promise.all(tabs.map((tab) => tab.session.current()));
      }
      expect(await liveSessions(app, user_id)).toEqual([session_id]);
      expect(await auditOf(app, { actor_id: user_id, action: 'auth.refresh.reuse_detected' })).toEqual([]);
    },
  );

  it('a page on another host name can sign in and out without the hosted pages', async () => {
    const { browser, email } = await arrive();
    const tab = browser.openTab();
    expect(await tab.signIn.withPassword({ email, password: PASSWORD })).toMatchObject({ status: 'success' });
    await tab.session.current();
    expect(browser.askedFor(REFRESH)).toEqual([]);
    await tab.session.signOut();
    await expect(tab.accessToken()).rejects.toMatchObject(SIGNED_OUT);
    await expect(tab.session.current()).rejects.toMatchObject(SIGNED_OUT);
  });

  it('a page on another host name is not signed out when its refresh token was used a moment ago, however often it retries', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    browser.state.alter = ({ path }) => {
      if (path !== REFRESH) return undefined;
      const body = { error: { code: 'authentication_required', message: 'a moment ago' } };
      return Response.json(body, { status: 401, headers: { 'retry-after': '1' } });
    };
    await expect(tab.session.current()).rejects.toMatchObject({ code: 'unreachable', signed_out: false });
    expect(browser.askedFor(REFRESH)).toHaveLength(4);
    browser.state.alter = () => undefined;
    expect((await tab.session.current()).user.user_id).toBe(user_id);
  });

  it('reports signed_out after one refresh if no user is signed in', async () => {
    const browser = openBrowser(base, { page });
    await expect(browser.openTab().session.current()).rejects.toMatchObject(SIGNED_OUT);
    expect(browser.askedFor(REFRESH)).toHaveLength(1);
  });

  it('a page on another host name rejects writes and accessToken with csrf_failed once another user is signed in', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    tab.bindUser(user_id);
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    const eve = await registerUser(app);
    for (const [name, value] of eve.browser.jar) browser.jar.set(name, value);
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    await expect(tab.account.update({ display_name: 'Mallory' })).rejects.toMatchObject({ code: 'csrf_failed' });
    await expect(tab.accessToken()).rejects.toMatchObject({ code: 'csrf_failed' });
    expect((await tab.account.read()).id).toBe(eve.user_id);
    expect((await tab.account.read()).display_name).toBeNull();
  });

  it('a page on another host name rejects writes and accessToken with csrf_failed if it shows another organization than that of the session', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    const { user } = await tab.session.current();
    tab.bindUser(user_id, user.organization_id);
    await tab.accessToken();
    const other = browser.openTab();
    other.bindUser(user_id, '00000000-0000-4000-8000-000000000000');
    await expect(other.accessToken()).rejects.toMatchObject({ code: 'csrf_failed' });
    await expect(other.account.update({ display_name: 'Ada' })).rejects.toMatchObject({ code: 'csrf_failed' });
  });

  it('the client does not return an access token again that an API has rejected', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    const refused = await tab.accessToken();
    expect(await tab.accessToken()).toBe(refused);
    const next = await tab.accessToken({ refused });
    expect(next).not.toBe(refused);
    expect(await tab.accessToken({ refused })).toBe(next);
    expect(browser.askedFor(REFRESH)).toHaveLength(2);
  });

  it.each(['withPassword', 'signOut'] as const)('a slow refresh does not undo a later %s', async (what) => {
    const { browser } = await arrive();
    const bob = await registerUser(app);
    const tab = browser.openTab();
    let release = () => {};
    browser.state.alter = ({ path }) => {
      if (path !== REFRESH) return undefined;
      browser.state.alter = () => undefined;
      return new Promise<void>((resolve) => {
        release = resolve;
      }).then(() => browser.send(`${base}${REFRESH}`, { method: 'POST' }));
    };
    const reading = tab.session.current().catch(() => undefined);
    await expect.poll(() => browser.askedFor(REFRESH).length).toBe(1);
    const later =
      what === 'signOut' ? tab.session.signOut() : tab.signIn.withPassword({ email: bob.email, password: PASSWORD });
    release();
    await Promise.all([reading, later]);
    if (what === 'signOut') await expect(tab.accessToken()).rejects.toMatchObject(SIGNED_OUT);
    else expect((await tab.account.update({ display_name: 'Bob' })).id).toBe(bob.user_id);
  });

  it('builds the URLs of the hosted pages', () => {
    const { pages } = createClient({ base: 'https://id.example.com/v1' });
    expect(pages.signIn(page)).toBe('https://id.example.com/sign-in?redirect_to=https%3A%2F%2Fapp.example.com%2Fboard');
    expect(pages.account()).toBe('https://id.example.com/account');
  });
});
