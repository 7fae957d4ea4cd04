import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { auditOf, liveSessions } from '../../server/test/records.ts';
import { openBrowser } from './browser-fixture.ts';

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterEach(() => vi.unstubAllGlobals());

const REFRESH = '/auth/refresh';
const ACCEPT = '/auth/invitations/accept';
const refused = () => Response.json({ error: { code: 'authentication_required', message: 'no' } }, { status: 401 });

async function arrive(options: { locks?: boolean } = {}) {
  const registered = await registerUser(app);
  return { ...registered, browser: openBrowser(base, { ...options, jar: registered.browser.jar }) };
}

describe('an expired access token', () => {
  it('is renewed once for all calls of a tab', async () => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    browser.endAccess();
    const answers = await Promise.all([tab.session.current(), tab.account.read(), tab.session.list()]);
    expect(answers[0].user.user_id).toBe(user_id);
    await tab.account.update({ display_name: 'Ada' });
    expect(browser.askedFor(REFRESH)).toHaveLength(1);
  });

  it('an access token is renewed after a 401 if only the service knows that it has expired', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    browser.jar.delete('service_at');
    expect((await tab.account.read()).display_name).toBe('Ada');
    expect(browser.askedFor(REFRESH)).toHaveLength(2);
  });

  it.each([true, false])(
    'two tabs that refresh at the same time, five times, both stay signed in; Web Locks: %s',
    async (locks) => {
      const { browser, user_id, session_id } = await arrive({ locks });
      const tabs = [browser.openTab(), browser.openTab()];
      for (let round = 0; round < 5; round++) {
        browser.endAccess();
        const seen = await Promise.all(tabs.flatMap((tab) => [tab.session.current(), tab.account.read()]));
        expect(seen).toHaveLength(4);
      }
      const refused = browser.askedFor(REFRESH).length - 5;
      if (locks) expect(refused).toBe(0);
      expect(await liveSessions(app, user_id)).toEqual([session_id]);
      expect(await auditOf(app, { actor_id: user_id, action: 'auth.refresh.reuse_detected' })).toEqual([]);
    },
  );
});

describe('without a session', () => {
  it('a call that needs one rejects with signed_out after one refresh; other calls succeed', async () => {
    const browser = openBrowser(base);
    const tab = browser.openTab();
    await expect(tab.account.read()).rejects.toMatchObject({ code: 'authentication_required', signed_out: true });
    expect(browser.askedFor(REFRESH)).toHaveLength(1);
    expect((await tab.signIn.options()).password).toBe(true);
    await tab.session.signOut();
    expect(browser.askedFor('/auth/logout')).toHaveLength(1);
    // A 401 of a call that needs no session does not mean signed out.
    browser.state.alter = ({ path }) => (path === ACCEPT ? refused() : undefined);
    const failure = { code: 'authentication_required', signed_out: false };
    await expect(tab.signIn.acceptInvitation({ token: 'x' })).rejects.toMatchObject(failure);
  });

  it('a read and a write reject with signed_out if the session was revoked elsewhere', async () => {
    const { browser, ...registered } = await arrive();
    const tab = browser.openTab();
    await tab.session.current();
    await app.deps.db
      .updateTable('sessions')
      .set({ revoked_at: app.clock.now() })
      .where('id', '=', registered.session_id)
      .execute();
    await app.deps.sessions.reload(registered.session_id);
    const gone = { code: 'authentication_required', signed_out: true };
    await expect(tab.account.read()).rejects.toMatchObject(gone);
    await expect(tab.account.update({ display_name: 'Ada' })).rejects.toMatchObject(gone);
  });
});

describe('a refresh that fails', () => {
  it.each([
    ['the service cannot be reached', () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
    [
      'the service returns 500 to a refresh',
      () => Response.json({ error: { code: 'internal_error', message: 'sorry' } }, { status: 500 }),
      'internal_error',
    ],
    ['a proxy returns 502 to a refresh', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unreachable'],
  ] as const)('%s: the user is not signed out, and later calls succeed', async (_how, answer, code) => {
    const { browser, user_id } = await arrive();
    const tab = browser.openTab();
    browser.endAccess();
    browser.state.alter = ({ path }) => (path === REFRESH ? answer() : undefined);
    await expect(tab.account.read()).rejects.toMatchObject({ code, signed_out: false });
    expect(browser.askedFor('/users/me')).toEqual([]);
    browser.state.alter = () => undefined;
    expect((await tab.account.read()).id).toBe(user_id);
  });

  it('sign-out is sent even if a refresh returns 502', async () => {
    const { browser, user_id } = await arrive();
    browser.endAccess();
    browser.state.alter = ({ path }) => (path === REFRESH ? new Response(null, { status: 502 }) : undefined);
    await browser.openTab().session.signOut();
    expect(await liveSessions(app, user_id)).toEqual([]);
  });
});
