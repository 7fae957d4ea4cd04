import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser, type TestUser } from '../../../test/browser.ts';
import {
  auditOf,
  countingRows,
  countSessions,
  liveSessions,
  setSession,
  setUser,
  untilBlocked,
} from '../../../test/records.ts';
import { enrol } from '../../../test/second-factor.ts';
import type { Tx } from '../../platform/db/connect.ts';
import {
  arriveBy,
  begin,
  beginLink,
  comeBack,
  identitiesOf,
  linkWith,
  livingOf,
  newUser,
  saveProvider,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const LINK = '/auth/oauth/oauth_a/link';
const google = () => third.fakes.oauth_a;
const arrive = () => arriveBy(third.app, third.fakes.oauth_b);
const codeOf = async (asked: Promise<{ status: number; json: { error?: { code: string } } }>) => {
  const { status, json } = await asked;
  return [status, json.error?.code];
};
const OWED = [401, 'mfa_required'];
const googleOf = async ({ user_id }: TestUser) =>
  (await livingOf(third.app, user_id)).filter(({ provider }) => provider === 'oauth_a');

describe('POST /auth/oauth/:provider/link', () => {
  it('starting a link is 200 { authorization_url } and sets the flow cookie; nothing is written', async () => {
    const { browser } = await arrive();
    browser.jar.delete('service_oauth');
    const tables = ['identities', 'oauth_states', 'audit_events', 'mails', 'rate_counters'] as const;
    const { result, rows } = await countingRows(third.app, tables, () => browser.post(LINK, {}));
    expect(result.status).toBe(200);
    expect(result.json).toEqual({ authorization_url: expect.stringMatching(`^${google().url}/`) });
    expect(result.set_cookies).toEqual([
      expect.stringMatching(/^service_oauth=[\w-]{43}; Path=\/v1; Max-Age=600; SameSite=Lax; HttpOnly$/),
    ]);
    expect(Object.values(rows)).toEqual(tables.map(() => 0));
  });

  it('401 without a session, 403 by cookie without CSRF; Bearer is accepted', async () => {
    const account = await arrive();
    expect(await codeOf(createBrowser(third.app).post(LINK, {}))).toEqual([401, 'authentication_required']);
    expect(await codeOf(account.browser.post(LINK, {}, { csrf: false }))).toEqual([403, 'csrf_failed']);
    const client = createBrowser(third.app);
    const begun = await client.send('POST', LINK, { body: {}, headers: bearer(account.access_token).headers });
    newUser(google());
    const answer = await comeBack(client, google(), begun.json.authorization_url);
    expect(answer.json).toMatchObject({
      status: 'linked',
      identity: (await googleOf(account))[0] && { provider: 'oauth_a' },
    });
    expect(await googleOf(account)).toHaveLength(1);
  });

  it('linking requires a sign-in or a second factor in the last 15 minutes', async () => {
    const account = await arrive();
    third.app.clock.advance(15 * 60);
    await account.browser.post('/auth/refresh');
    expect(await codeOf(account.browser.post(LINK, {}))).toEqual([200, undefined]);
    third.app.clock.advance(1);
    expect(await codeOf(account.browser.post(LINK, {}))).toEqual(OWED);
    await setSession(third.app, account.session_id, { mfa_verified_at: third.app.clock.now(), aal: 'aal2' });
    expect(await codeOf(account.browser.post(LINK, {}))).toEqual([200, undefined]);
  });

  it('linking with MFA on requires a session at aal2', async () => {
    const { app, fakes } = third;
    const account = await enrol(app, await arrive());
    expect(await codeOf(account.browser.post(LINK, {}))).toEqual([200, undefined]);
    const { json, browser } = await signInWith(app, fakes.oauth_b);
    await browser.post('/auth/mfa/challenge', { mfa_token: json.mfa_token, recovery_code: account.recovery_codes[0] });
    expect(await codeOf(browser.post(LINK, {}))).toEqual([200, undefined]);
    const half = await arrive();
    await setUser(app, half.user_id, { mfa_enabled_at: app.clock.now() });
    expect(await codeOf(half.browser.post(LINK, {}))).toEqual(OWED);
  });

  it('400 for a redirect_to that is not text; 404 for an unknown or disabled provider', async () => {
    const { app, fakes } = third;
    const { browser } = await arrive();
    for (const redirect_to of [1, {}, ['/'], true, 'a\u0000b']) {
      expect(await codeOf(browser.post(LINK, { redirect_to })), String(redirect_to)).toEqual([400, 'invalid_input']);
    }
    expect(await codeOf(browser.post('/auth/oauth/oauth_x/link', {}))).toEqual([404, 'not_found']);
    expect(await codeOf(browser.post('/auth/oauth/email_transport/link', {}))).toEqual([404, 'not_found']);
    const { settings } = fakes.oauth_e;
    await saveProvider(app, 'oauth_e', { ...settings, enabled: false });
    const off = await browser.post('/auth/oauth/oauth_e/link', {});
    await saveProvider(app, 'oauth_e', settings);
    expect([off.status, off.set_cookies]).toEqual([404, []]);
    expect(await codeOf(browser.post('/auth/oauth/oauth_e/link', {}))).toEqual([200, undefined]);
  });
});

describe('the callback of a link', () => {
  it('the callback links the identity to this account: it writes one audit row and sends one mail, but opens no session and sets no cookie', async () => {
    const { app } = third;
    const account = await arrive();
    await app.mailbox.take(account.email);
    // The email need be neither verified nor that of the account.
    const external = newUser(google(), { email: 'Somebody@Else.example', email_verified: false });
    const url = await beginLink(account.browser, 'oauth_a');
    app.clock.advance(60);
    const now = app.clock.now().toISOString();
    const tables = ['sessions', 'identities', 'mails', 'audit_events', 'users'] as const;
    const { result, rows } = await countingRows(app, tables, () => comeBack(account.browser, google(), url));
    expect(result.status).toBe(200);
    const id = expect.any(String);
    const email = 'somebody@else.example';
    expect(result.json).toEqual({
      status: 'linked',
      identity: { id, provider: 'oauth_a', email, linked_at: now, last_used_at: now },
    });
    expect(result.set_cookies).toEqual([]);
    expect(rows).toEqual({ sessions: 0, identities: 1, mails: 1, audit_events: 1, users: 0 });
    expect((await auditOf(app, { actor_id: account.user_id })).at(-1)).toMatchObject({
      action: 'auth.oauth.linked',
      organization_id: account.organization_id,
      resource_type: 'identity',
      resource_id: result.json.identity.id,
      metadata: { provider: 'oauth_a' },
    });
    const mails = await app.mailbox.take(account.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['An account at Google was linked to your account']);
    expect((await account.browser.get('/auth/session')).json.user.session_family_id).toBe(account.session_id);
    google().person = external;
    expect((await signInWith(app, google())).json.user.user_id).toBe(account.user_id);
  });

  it('at the callback a browser gets 302 to redirect_to, or to the sign-in page with the error', async () => {
    const { browser } = await arrive();
    newUser(google());
    const url = await beginLink(browser, 'oauth_a', { redirect_to: '/account?tab=identities' });
    const done = await comeBack(browser, google(), url, { json: false });
    expect([done.status, done.headers.location]).toEqual([302, '/account?tab=identities']);
    expect(done.set_cookies).toEqual([]);
    const other = await arriveBy(third.app, google());
    google().person = other.external;
    const failed = await comeBack(browser, google(), await beginLink(browser, 'oauth_a'), { json: false });
    expect([failed.status, failed.headers.location]).toEqual([302, '/sign-in?error=identity_in_use']);
  });

  it('the callback links an identity without an email, and a second one of the same provider', async () => {
    const account = await arrive();
    newUser(google(), { email: null });
    expect((await linkWith(account.browser, google())).json.identity.email).toBeNull();
    newUser(google());
    expect((await linkWith(account.browser, google())).json.status).toBe('linked');
    expect(await googleOf(account)).toHaveLength(2);
  });

  it('identity_in_use if the identity belongs to another account, whatever the status of that account', async () => {
    const { app } = third;
    const owner = await arriveBy(app, google());
    const account = await arrive();
    for (const status of ['active', 'disabled'] as const) {
      await setUser(app, owner.user_id, { status });
      const answer = await linkWith(account.browser, google());
      expect([answer.status, answer.json.error.code, wordOf(answer)]).toEqual([409, 'conflict', 'identity_in_use']);
      expect(await googleOf(account)).toEqual([]);
      expect((await auditOf(app, { action: 'auth.oauth.failed' })).at(-1)).toMatchObject({
        actor_id: account.user_id,
        metadata: { provider: 'oauth_a', reason: 'identity_in_use', linking: true },
      });
    }
  });

  it('linking the same identity again returns the same row without a mail', async () => {
    const { app } = third;
    const account = await arrive();
    newUser(google());
    const first = await linkWith(account.browser, google());
    app.clock.advance(60);
    const tables = ['identities', 'mails', 'audit_events'] as const;
    const { result, rows } = await countingRows(app, tables, () => linkWith(account.browser, google()));
    expect(result.json).toEqual(first.json);
    expect(rows).toEqual({ identities: 0, mails: 0, audit_events: 0 });
  });

  it('over the mail limit the identity is linked without a mail', async () => {
    const { app } = third;
    const account = await arrive();
    const { limiter, config } = app.deps;
    for (let index = 0; index < 10; index++) {
      await limiter.hit(limiter.counter('mail notice', account.email, config.LIMIT_MAIL_PER_ACCOUNT));
    }
    newUser(google());
    const { result, rows } = await countingRows(app, ['identities', 'mails'], () =>
      linkWith(account.browser, google()),
    );
    expect(result.json.status).toBe('linked');
    expect(rows).toEqual({ identities: 1, mails: 0 });
  });

  it('failed links do not count towards the mail limit', async () => {
    const account = await arrive();
    await arriveBy(third.app, google());
    for (let index = 0; index < 11; index++) await linkWith(account.browser, google());
    const { browser } = await signInWith(third.app, third.fakes.oauth_b);
    const urls: string[] = [];
    for (let index = 0; index < 11; index++) urls.push(await beginLink(browser, 'oauth_a'));
    await browser.post('/auth/logout');
    for (const url of urls) {
      newUser(google());
      expect(wordOf(await comeBack(browser, google(), url))).toBe('invalid_state');
    }
    newUser(google());
    const { rows } = await countingRows(third.app, ['mails'], () => linkWith(account.browser, google()));
    expect(rows).toEqual({ mails: 1 });
  });
});

describe('changes between start and callback', () => {
  const CHANGES: [string, (account: TestUser) => Promise<unknown>][] = [
    ['the session was signed out', ({ browser }) => browser.post('/auth/logout')],
    [
      'the session has expired',
      ({ session_id }) => setSession(third.app, session_id, { expires_at: third.app.clock.now() }),
    ],
    ['the user is disabled', ({ user_id }) => setUser(third.app, user_id, { status: 'disabled' })],
    ['the user is deleted', ({ user_id }) => setUser(third.app, user_id, { status: 'deleted' })],
    ['MFA is on', ({ user_id }) => setUser(third.app, user_id, { mfa_enabled_at: third.app.clock.now() })],
    [
      'MFA is on, and a second factor was reset since it was given',
      async ({ user_id, session_id }) => {
        await setUser(third.app, user_id, { mfa_enabled_at: third.app.clock.now() });
        await setSession(third.app, session_id, { aal: 'aal2', mfa_verified_at: null });
      },
    ],
  ];

  it.each(CHANGES)(
    'invalid_state for an identity that is new, already linked or linked to another user if, since the start, %s',
    async (_name, change) => {
      const { app } = third;
      const other = await arriveBy(app, google());
      const account = await arrive();
      const own = newUser(google());
      await linkWith(account.browser, google());
      const urls: string[] = [];
      for (let index = 0; index < 3; index++) urls.push(await beginLink(account.browser, 'oauth_a'));
      await change(account);
      for (const external of [newUser(google()), own, other.external]) {
        google().person = external;
        const tables = ['identities', 'mails', 'sessions'] as const;
        const { result, rows } = await countingRows(app, tables, () =>
          comeBack(account.browser, google(), urls.pop()!),
        );
        expect([result.status, wordOf(result)]).toEqual([401, 'invalid_state']);
        expect(rows).toEqual({ identities: 0, mails: 0, sessions: 0 });
      }
      expect(await googleOf(account)).toHaveLength(1);
    },
  );

  const MEANWHILE: [string, (account: TestUser, tx: Tx) => Promise<unknown>][] = [
    [
      'the session ends',
      ({ session_id }, tx) =>
        tx.updateTable('sessions').set({ revoked_at: new Date() }).where('id', '=', session_id).execute(),
    ],
    [
      'MFA is switched on',
      ({ user_id }, tx) =>
        tx.updateTable('users').set({ mfa_enabled_at: new Date() }).where('id', '=', user_id).execute(),
    ],
    [
      'the user is disabled',
      ({ user_id }, tx) => tx.updateTable('users').set({ status: 'disabled' }).where('id', '=', user_id).execute(),
    ],
  ];
  it.each(MEANWHILE)('%s during the callback: invalid_state', async (_name, change) => {
    const account = await arrive();
    newUser(google());
    const url = await beginLink(account.browser, 'oauth_a');
    const blocker = await third.app.deps.db.startTransaction().execute();
    await change(account, blocker);
    const linking = comeBack(account.browser, google(), url);
    await untilBlocked(third.app, 1);
    await blocker.commit().execute();
    expect(wordOf(await linking)).toBe('invalid_state');
    expect(await googleOf(account)).toEqual([]);
  });

  it('invalid_state if the browser is signed in as another user by now', async () => {
    const { app, fakes } = third;
    const account = await arrive();
    const url = await beginLink(account.browser, 'oauth_a');
    const otherUser = newUser(fakes.oauth_e);
    await signInWith(app, fakes.oauth_e, { browser: account.browser });
    const { email, user_id } = (await account.browser.get('/auth/session')).json.user;
    expect(email).toBe(otherUser.email);
    newUser(google());
    expect(wordOf(await comeBack(account.browser, google(), url))).toBe('invalid_state');
    expect(await googleOf(account)).toEqual([]);
    expect((await identitiesOf(app, user_id)).map(({ provider }) => provider)).toEqual(['oauth_e']);
    expect(await liveSessions(app, account.user_id)).toHaveLength(1);
  });
});

describe('links and sign-ins are separate', () => {
  it('a link opens no session in a browser that was signed out', async () => {
    const { app } = third;
    const account = await arrive();
    const known = await arriveBy(app, google());
    const url = await beginLink(account.browser, 'oauth_a');
    const browser = createBrowser(app, new Map([['service_oauth', account.browser.jar.get('service_oauth')!]]));
    const answer = await comeBack(browser, google(), url);
    expect(wordOf(answer)).toBe('identity_in_use');
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(app, known.user_id)).toBe(1);
    expect(await countSessions(app, account.user_id)).toBe(1);
  });

  it('the state of a link is invalid in another browser', async () => {
    const account = await arrive();
    newUser(google());
    const url = await beginLink(account.browser, 'oauth_a');
    const victim = await arrive();
    await begin(victim.browser, 'oauth_a');
    expect(wordOf(await comeBack(victim.browser, google(), url))).toBe('invalid_state');
    expect([await googleOf(account), await googleOf(victim)]).toEqual([[], []]);
  });

  it('a sign-in with another identity does not link it to the user of the browser', async () => {
    const { app } = third;
    const account = await arrive();
    newUser(google());
    const { json } = await signInWith(app, google(), { browser: account.browser });
    expect(json.status).toBe('success');
    expect(json.user.user_id).not.toBe(account.user_id);
    expect(await googleOf(account)).toEqual([]);
  });
});
