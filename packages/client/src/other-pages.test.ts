import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { startTestApp, type TestApp } from '../../server/test/harness.ts';
import { auditOf, liveSessions } from '../../server/test/records.ts';
import { openBrowser } from './browser-fixture.ts';
import { createClient } from './index.ts';

let app: TestApp;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterAll(() => app.close());
afterEach(() => vi.unstubAllGlobals());

const page = 'https://app.example.com/board';
const REFRESH = '/auth/refresh';
const SIGNED_OUT = { code: 'authentication_required', signed_out: true };

/** Somebody who has signed in on the hosted pages and comes back to a product. */
async function arrive(options: { locks?: boolean } = {}) {
  const registered = await registerUser(app);
  return { ...registered, browser: openBrowser(base, { ...options, jar: registered.browser.jar, page }) };
}

describe('a page of a product, on another host name', () => {
  it('gets its access token by the cookie that it cannot read, once for all calls, and shows it as Bearer', async () => {
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

  it('gets a new one when it ends, also when only the service knows that', async () => {
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

  it.each([true, false])('two tabs at the same moment, both stay signed in; locks: %s', async (locks) => {
    const { browser, user_id, session_id } = await arrive({ locks });
    for (let round = 0; round < 3; round++) {
      const tabs = [browser.openTab(), browser.openTab()];
      await Promise.all(tabs.map((tab) => tab.session.current()));
    }
    expect(await liveSessions(app, user_id)).toEqual([session_id]);
    expect(await auditOf(app, { actor_id: user_id, action: 'auth.refresh.reuse_detected' })).toEqual([]);
  });

  it('signs in and out by itself as well', async () => {
    const { browser, email } = await arrive();
    const tab = browser.openTab();
    expect(await tab.signIn.withPassword({ email, password: PASSWORD })).toMatchObject({ status: 'success' });
    await tab.session.current();
    expect(browser.askedFor(REFRESH)).toEqual([]);
    await tab.session.signOut();
    await expect(tab.accessToken()).rejects.toMatchObject(SIGNED_OUT);
    await expect(tab.session.current()).rejects.toMatchObject(SIGNED_OUT);
  });

  it('a page that is outrun again and again is not signed out', async () => {
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

  it('nobody is signed in: said so at once', async () => {
    const browser = openBrowser(base, { page });
    await expect(browser.openTab().session.current()).rejects.toMatchObject(SIGNED_OUT);
    expect(browser.askedFor(REFRESH)).toHaveLength(1);
  });

  it('a write is of the person the page shows: refused once the browser is somebody else’s', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    tab.showPerson(user_id);
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    const eve = await registerUser(app);
    for (const [name, value] of eve.browser.jar) browser.jar.set(name, value);
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    await expect(tab.account.update({ display_name: 'Mallory' })).rejects.toMatchObject({ code: 'csrf_failed' });
    await expect(tab.accessToken()).rejects.toMatchObject({ code: 'csrf_failed' });
    expect((await tab.account.read()).id).toBe(eve.user_id);
    expect((await tab.account.read()).display_name).toBeNull();
  });

  it('and of the organization it shows', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    const { user } = await tab.session.current();
    tab.showPerson(user_id, user.organization_id);
    await tab.accessToken();
    const other = browser.openTab();
    other.showPerson(user_id, '00000000-0000-4000-8000-000000000000');
    await expect(other.accessToken()).rejects.toMatchObject({ code: 'csrf_failed' });
    await expect(other.account.update({ display_name: 'Ada' })).rejects.toMatchObject({ code: 'csrf_failed' });
  });

  it('a token that an API refuses is not given again', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    const refused = await tab.accessToken();
    expect(await tab.accessToken()).toBe(refused);
    const next = await tab.accessToken({ refused });
    expect(next).not.toBe(refused);
    expect(await tab.accessToken({ refused })).toBe(next);
    expect(browser.askedFor(REFRESH)).toHaveLength(2);
  });

  it.each(['withPassword', 'signOut'] as const)(
    'a refresh that is slow does not undo what comes after it: %s',
    async (what) => {
      const { browser } = await arrive();
      const bob = await registerUser(app);
      const tab = browser.openTab();
      let letGo = () => {};
      browser.state.alter = ({ path }) => {
        if (path !== REFRESH) return undefined;
        browser.state.alter = () => undefined;
        return new Promise<void>((resolve) => {
          letGo = resolve;
        }).then(() => browser.send(`${base}${REFRESH}`, { method: 'POST' }));
      };
      const reading = tab.session.current().catch(() => undefined);
      await expect.poll(() => browser.askedFor(REFRESH).length).toBe(1);
      const later =
        what === 'signOut' ? tab.session.signOut() : tab.signIn.withPassword({ email: bob.email, password: PASSWORD });
      letGo();
      await Promise.all([reading, later]);
      if (what === 'signOut') await expect(tab.accessToken()).rejects.toMatchObject(SIGNED_OUT);
      else expect((await tab.account.update({ display_name: 'Bob' })).id).toBe(bob.user_id);
    },
  );

  it('knows where the pages of the service are', () => {
    const { pages } = createClient({ base: 'https://id.example.com/v1' });
    expect(pages.signIn(page)).toBe('https://id.example.com/sign-in?redirect_to=https%3A%2F%2Fapp.example.com%2Fboard');
    expect(pages.account()).toBe('https://id.example.com/account');
  });
});
