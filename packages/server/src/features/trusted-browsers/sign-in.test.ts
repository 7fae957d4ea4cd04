import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, atOnce, bearer, createBrowser, PASSWORD, type TestUser, tally } from '../../../test/browser.ts';
import { SECRET, startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, countSessions, findSession, lockUserRow, trustBrowser, untilBlocked } from '../../../test/records.ts';
import { featuresOf } from '../../app.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { steppedUp } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { loginWith, reach, registerWithMfa, rowsOf, touch, trusted, underWay } from './trust-fixture.ts';

/** An endpoint that requires a second factor in the last five minutes, and one that requires only a session. */
const probe: Feature = {
  name: 'Probe',
  routes: [
    { path: '/step-up', access: [steppedUp] },
    { path: '/me', access: [] },
  ].map((spec) =>
    route({
      ...spec,
      method: 'POST',
      admits: ['session'],
      summary: 'guarded',
      responses: { 200: Type.Object({ passed: Type.Boolean() }) },
      handler: () => ({ passed: true }),
    }),
  ),
};

let app: TestApp;
beforeAll(async () => {
  const environment = { NODE_ENV: 'test', JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' };
  app = await startTestApp({ features: [...featuresOf(loadConfig(environment)), probe] });
});
afterAll(() => app.close());

interface Way {
  readonly action: 'auth.login' | 'auth.email_otp.succeeded';
  readonly method: string;
  /** A sign-in as this user, with only this cookie. */
  readonly signIn: (account: TestUser, cookie: string) => Promise<Answer>;
}

const ask = (path: string, body: unknown, cookie: string) =>
  createBrowser(app).post(path, body, { headers: { cookie } });

const PASSWORD_WAY: Way = {
  action: 'auth.login',
  method: 'password',
  signIn: ({ email }, cookie) => ask('/auth/login', { email, password: PASSWORD }, cookie),
};

const CODE_WAY: Way = {
  action: 'auth.email_otp.succeeded',
  method: 'email_otp',
  async signIn({ email }, cookie) {
    await createBrowser(app).post('/auth/email-otp/request', { email });
    return ask('/auth/email-otp/verify', { email, code: await app.mailbox.takeCode(email) }, cookie);
  },
};

const WAYS = [
  ['password', PASSWORD_WAY],
  ['emailed code', CODE_WAY],
] as const;

const DAY = 86_400;
const refusesHalf = (answer: Answer) => {
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
  expect(answer.set_cookies).toEqual([]);
};

describe.each(WAYS)('a sign-in by %s from a trusted browser', (_name, { action, method, signIn }) => {
  it('a sign-in from a trusted browser needs no second factor, at aal1; updates last_used_at, and is audited as trusted', async () => {
    const account = await registerWithMfa(app);
    const { id, token } = await trusted(account.browser);
    app.clock.advance(60);
    const answer = await signIn(account, `service_trust=${token}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ status: 'success', user: { aal: 'aal1', mfa_verified_at: null } });
    expect(await findSession(app, answer.json.user.session_family_id)).toMatchObject({
      aal: 'aal1',
      mfa_verified_at: null,
    });
    expect(await rowsOf(app, account)).toMatchObject([{ id, last_used_at: app.clock.now(), revoked_at: null }]);
    const listed = await createBrowser(app).get('/auth/trusted-browsers', bearer(answer.json.access_token));
    expect(listed.json.items).toMatchObject([{ id, last_used_at: app.clock.now().toISOString(), current: false }]);
    const trail = await auditOf(app, { actor_id: account.user_id, action });
    expect(trail.at(-1)).toMatchObject({ outcome: 'success', metadata: { method, trusted_browser: true } });
  });

  it('a sign-in from a trusted browser never counts as step-up', async () => {
    const account = await registerWithMfa(app);
    const { token } = await trusted(account.browser);
    const { access_token, user } = (await signIn(account, `service_trust=${token}`)).json;
    const post = (path: string) => createBrowser(app).post(path, undefined, bearer(access_token));
    expect((await post('/me')).status).toBe(200);
    const refused = await post('/step-up');
    expect(refused.status).toBe(401);
    expect(refused.json.error.code).toBe('mfa_required');
    // With a second factor in the session, the same request succeeds.
    await reach(app, user.session_family_id, 'aal2');
    expect((await post('/step-up')).status).toBe(200);
  });

  it('a trusted browser replaces the second factor for 30 days, not extended by use', async () => {
    const account = await registerWithMfa(app);
    const { token } = await trusted(account.browser);
    app.clock.advance(30 * DAY - 1);
    expect((await signIn(account, `service_trust=${token}`)).json.status).toBe('success');
    app.clock.advance(1);
    refusesHalf(await signIn(account, `service_trust=${token}`));
  });

  it('a sign-in stays pending with the cookie of another user, or a revoked, planted or invalid one', async () => {
    const [account, outsider] = [await registerWithMfa(app), await registerWithMfa(app)];
    const theirs = await trusted(outsider.browser);
    const other = await trustBrowser(app, account.user_id);
    const { id, token } = await trusted(account.browser);
    const [row] = (await rowsOf(app, account)).filter((row) => row.id === id);
    for (const cookie of [
      `service_trust=${theirs.token}`,
      `service_trust=${token}; service_trust=${token}`,
      `service_trust=${token}; service_trust=planted`,
      'service_trust=',
      'service_trust=none',
      `service_trust=${row!.token_hash!.toString('hex')}`,
      `service_trust=${token}x`,
      `service_rt=${token}`,
    ]) {
      refusesHalf(await signIn(account, cookie));
    }
    expect((await rowsOf(app, outsider))[0]!.last_used_at).toBeNull();
    await account.browser.delete(`/auth/trusted-browsers/${id}`);
    refusesHalf(await signIn(account, `service_trust=${token}`));
    expect((await signIn(account, other)).json.status).toBe('success');
  });

  it('a sign-in opens no session if the browser is concurrently revoked', async () => {
    const account = await registerWithMfa(app);
    const { token } = await trusted(account.browser);
    const commit = await underWay(app, async (tx) => {
      await tx.updateTable('users').set({ updated_at: app.clock.now() }).where('id', '=', account.user_id).execute();
      await revokeTrustedBrowsers(tx, account.user_id, app.clock.now());
    });
    const signingIn = signIn(account, `service_trust=${token}`);
    await untilBlocked(app, 1);
    await commit();
    const answer = await signingIn;
    // A password is verified again and leaves a pending sign-in; a code is valid only once.
    if (method === 'password') refusesHalf(answer);
    else expect(answer.status).toBe(401);
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(app, account.user_id)).toBe(1);
  });
});

describe('two users of one browser', () => {
  it('can both trust it; the cookie belongs to the last one', async () => {
    const [first, second] = [await registerWithMfa(app), await registerWithMfa(app)];
    const theirs = await trusted(first.browser);
    refusesHalf(await loginWith(app, second, theirs.token));
    second.browser.jar.set('service_trust', theirs.token);
    const own = await trusted(second.browser);
    expect((await loginWith(app, second, own.token)).json.status).toBe('success');
    refusesHalf(await loginWith(app, first, own.token));
    expect((await loginWith(app, first, theirs.token)).json.status).toBe('success');
  });
});

describe('concurrent sign-in and revocation', () => {
  it('a sign-in locks the row of the user before that of the browser', async () => {
    const account = await registerWithMfa(app);
    const { id, token } = await trusted(account.browser);
    const release = await lockUserRow(app, account.user_id);
    const signingIn = loginWith(app, account, token);
    await untilBlocked(app, 1);
    await touch(app, id);
    await release();
    expect((await signingIn).json.status).toBe('success');
  });

  it('do not deadlock, and no trusted sign-in is possible afterwards', async () => {
    const account = await registerWithMfa(app);
    for (let round = 0; round < 3; round++) {
      const { id, token } = await trusted(account.browser);
      const [answers, deleted] = await Promise.all([
        atOnce(6, () => loginWith(app, account, token)),
        account.browser.delete(`/auth/trusted-browsers/${id}`),
      ]);
      expect(deleted.status).toBe(204);
      expect(tally(answers)).toEqual({ 200: 6 });
      refusesHalf(await loginWith(app, account, token));
    }
  });
});
