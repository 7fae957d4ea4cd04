import type { Overview } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { beginSigningIn, type Keyholder, type Tampering, withPasskey } from '../../../test/authenticator.ts';
import { createBrowser, PASSWORD, registerUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { join, setSession, setUser } from '../../../test/records.ts';
import { challenge, enrolNew, halfSignIn } from '../../../test/second-factor.ts';
import { countAll, insertEvents } from '../../domain/audit/counts/trail-fixture.ts';
import { comeBack, newUser, signInWith, startThirdParties, type ThirdParties } from '../social/oauth-fixture.ts';

let parties: ThirdParties;
let app: TestApp;
let viewer: Administrator;
beforeAll(async () => {
  parties = await startThirdParties();
  app = parties.app;
});
beforeEach(async () => {
  viewer = await insertAdministrator(app, 'viewer');
});
afterAll(() => parties.close());

const HOUR = 3_600_000;
const post = (path: string, body: unknown) => createBrowser(app).post(path, body);
const overview = async (range?: string): Promise<Overview> => {
  const { status, json } = await viewer.get(`/admin/overview${range === undefined ? '' : `?range=${range}`}`);
  expect(status).toBe(200);
  return json;
};
const present = async (range?: string) => (await overview(range)).sign_ins.points.at(-1)!;

/** How much `work` increases the counts of the current hour, before and after its audit rows are counted. */
async function counted(work: () => Promise<unknown>): Promise<{ succeeded: number; failed: number }> {
  const before = await present();
  await work();
  const after = await present();
  await countAll(app.deps.db);
  expect(await present()).toEqual(after);
  return { succeeded: after.succeeded - before.succeeded, failed: after.failed - before.failed };
}

const ONE = { succeeded: 1, failed: 0 };
const REFUSED = { succeeded: 0, failed: 1 };
const NEITHER = { succeeded: 0, failed: 0 };

describe('GET /admin/overview: what counts as a sign-in', () => {
  it('a right and a wrong password and an unknown email count as sign-ins; registration, refresh and switch do not', async () => {
    const user = await registerUser(app);
    const { email } = user;
    expect(await counted(() => registerUser(app))).toEqual(NEITHER);
    expect(await counted(() => post('/auth/login', { email, password: PASSWORD }))).toEqual(ONE);
    expect(await counted(() => post('/auth/login', { email, password: 'wrong' }))).toEqual(REFUSED);
    expect(await counted(() => post('/auth/login', { email: 'nobody@example.com', password: 'x' }))).toEqual(REFUSED);
    expect(await counted(() => user.browser.post('/auth/refresh'))).toEqual(NEITHER);
    const organization_id = await join(app, user.user_id);
    expect(await counted(() => user.browser.post('/auth/organization', { organization_id }))).toEqual(NEITHER);
  });

  it('with a second factor the challenge and each wrong code count, but neither the first factor nor the lock after five wrong codes', async () => {
    const user = await enrolNew(app);
    let token = '';
    const begin = async () => {
      token = await halfSignIn(app, user);
    };
    expect(await counted(begin)).toEqual(NEITHER);
    expect(await counted(() => challenge(app, token, { code: user.app.wrong() }))).toEqual(REFUSED);
    expect(await counted(() => challenge(app, token, { code: user.app.code() }))).toEqual(ONE);
    await begin();
    const guesses = async () => {
      for (let guess = 0; guess < 5; guess++) await challenge(app, token, { code: user.app.wrong() });
    };
    expect(await counted(guesses)).toEqual({ succeeded: 0, failed: 5 });
  });

  it('a sign-in from a trusted browser counts once as a sign-in', async () => {
    const user = await enrolNew(app);
    await user.browser.post('/auth/trusted-browsers', {});
    const signIn = () => user.browser.post('/auth/login', { email: user.email, password: PASSWORD });
    expect(await counted(signIn)).toEqual(ONE);
  });

  it('an emailed code counts as a sign-in, succeeded or failed; requesting a code does not count', async () => {
    const { email } = await registerUser(app);
    await app.mailbox.take(email);
    expect(await counted(() => post('/auth/email-otp/request', { email }))).toEqual(NEITHER);
    const code = await app.mailbox.takeCode(email);
    const wrong = code === '000000' ? '000001' : '000000';
    expect(await counted(() => post('/auth/email-otp/verify', { email, code: wrong }))).toEqual(REFUSED);
    expect(await counted(() => post('/auth/email-otp/verify', { email, code }))).toEqual(ONE);
  });

  it('a sign-in by passkey counts as succeeded, or as failed if the user is disabled; a wrong challenge does not count', async () => {
    const user = await withPasskey(app);
    const signIn = async ({ device, email }: Keyholder, tampering: Tampering = {}) =>
      post('/auth/passkey/login/complete', { credential: device.get(await beginSigningIn(app, email), tampering) });
    expect(await counted(() => signIn(user))).toEqual(ONE);
    expect(await counted(() => signIn(user, { challenge: 'x' }))).toEqual(NEITHER);
    await setUser(app, user.user_id, { status: 'disabled' });
    expect(await counted(() => signIn(user))).toEqual(REFUSED);
  });

  it('a third-party sign-in counts, also one that registers the user; a failed link does not count', async () => {
    const fake = parties.fakes.oauth_a;
    newUser(fake);
    expect(await counted(() => signInWith(app, fake))).toEqual(ONE);
    expect(await counted(() => signInWith(app, fake))).toEqual(ONE);
    expect(await counted(() => signInWith(app, fake, { deny: true }))).toEqual(REFUSED);
    const { browser } = await registerUser(app);
    const link = async () => {
      const { json } = await browser.post('/auth/oauth/oauth_a/link', {});
      return comeBack(browser, fake, json.authorization_url);
    };
    expect(await counted(link)).toEqual(NEITHER);
  });

  it.each([
    ['auth.sso.login', 'success', {}, ONE],
    ['auth.sso.login', 'success', { mfa_pending: true }, NEITHER],
    ['auth.sso.login', 'failure', { reason: 'policy' }, REFUSED],
    ['auth.sso.refused', 'failure', {}, REFUSED],
    ['auth.sso.linked', 'success', {}, NEITHER],
  ] as const)(
    'of single sign-on, %s with outcome %s and metadata %j counts as %j',
    async (action, outcome, metadata, expected) => {
      const event = { action, outcome, metadata, timestamp: app.clock.now() };
      expect(await counted(() => insertEvents(app.deps.db, [event]))).toEqual(expected);
    },
  );
});

describe('GET /admin/overview: sign-ins over time', () => {
  const SIGN_IN = { action: 'auth.login' };
  const FAILURE = { action: 'auth.login', outcome: 'failure' } as const;
  const startOf = (length: number) => Math.floor(app.clock.now().getTime() / length) * length;
  const at = (time: number) => new Date(time);
  /** Moves the clock so far that no event of earlier tests is in range. */
  const goOn = async () => {
    app.clock.advance(40 * 86_400);
    viewer = await insertAdministrator(app, 'viewer');
  };

  it('the default range is 24 hours without gaps, of which the current hour is the last', async () => {
    await goOn();
    const begin = startOf(HOUR);
    await insertEvents(app.deps.db, [
      { ...SIGN_IN, timestamp: at(begin - 24 * HOUR + HOUR - 1) },
      { ...SIGN_IN, timestamp: at(begin - 23 * HOUR) },
      { ...FAILURE, timestamp: at(begin - 2 * HOUR - 1) },
      { ...FAILURE, timestamp: at(begin - 2 * HOUR) },
      { ...FAILURE, timestamp: at(begin - HOUR - 1) },
      { ...SIGN_IN, timestamp: at(begin) },
      { ...SIGN_IN, timestamp: at(begin + HOUR) },
    ]);
    const expected = Array.from({ length: 24 }, (_, index) => ({
      at: at(begin - (23 - index) * HOUR).toISOString(),
      succeeded: index === 0 || index === 23 ? 1 : 0,
      failed: index === 20 ? 1 : index === 21 ? 2 : 0,
    }));
    for (const range of [undefined, '24h']) {
      expect((await overview(range)).sign_ins).toEqual({ step: 'hour', points: expected });
    }
    await countAll(app.deps.db);
    expect((await overview()).sign_ins.points).toEqual(expected);
  });

  it.each([
    ['7d', 7],
    ['30d', 30],
  ])('range=%s returns %i days in UTC, of which the current day is the last', async (range, days) => {
    await goOn();
    const today = startOf(24 * HOUR);
    const first = today - (days - 1) * 24 * HOUR;
    await insertEvents(app.deps.db, [
      { ...SIGN_IN, timestamp: at(first - 1) },
      { ...SIGN_IN, timestamp: at(first) },
      { ...FAILURE, timestamp: at(first + 24 * HOUR - 1) },
      { ...SIGN_IN, timestamp: at(today) },
      { ...SIGN_IN, timestamp: at(today + 24 * HOUR - 1) },
    ]);
    const expected = Array.from({ length: days }, (_, index) => ({
      at: at(first + index * 24 * HOUR).toISOString(),
      succeeded: index === 0 ? 1 : index === days - 1 ? 2 : 0,
      failed: index === 0 ? 1 : 0,
    }));
    expect((await overview(range)).sign_ins).toEqual({ step: 'day', points: expected });
    await countAll(app.deps.db);
    expect((await overview(range)).sign_ins.points).toEqual(expected);
  });

  it.each(['', '1h', '24H', '24h ', 'constructor', '24h&range=7d'])('400 for range=%s', async (range) => {
    const answer = await viewer.get(`/admin/overview?range=${range.replace(' ', '%20')}`);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/^range: /) });
  });
});

describe('GET /admin/overview: totals', () => {
  it('counts users that are not deleted, and organizations', async () => {
    const before = await overview();
    const [{ user_id }, disabled] = [await registerUser(app), await registerUser(app)];
    await setUser(app, disabled.user_id, { status: 'disabled' });
    const after = await overview();
    expect(after.users).toBe(before.users + 2);
    expect(after.organizations).toBe(before.organizations + 2);
    await setUser(app, user_id, { status: 'deleted' });
    expect((await overview()).users).toBe(before.users + 1);
  });

  it('counts sessions that are neither revoked nor expired', async () => {
    const before = await overview();
    expect(before.active_sessions_estimated).toBe(false);
    const [ended, expired] = [await registerUser(app), await registerUser(app), await registerUser(app)];
    expect((await overview()).active_sessions).toBe(before.active_sessions + 3);
    await ended.browser.post('/auth/logout');
    await setSession(app, expired.session_id, { expires_at: app.clock.now() });
    expect((await overview()).active_sessions).toBe(before.active_sessions + 1);
  });

  it('counts queued, failed and expired mails, but no discarded ones', async () => {
    await app.mailbox.settle();
    const { mail: before } = await overview();
    const now = app.clock.now();
    const row = {
      template: 'password_changed',
      locale: 'en',
      sealed: null,
      created_at: now,
      next_attempt_at: new Date(now.getTime() + HOUR),
      expires_at: new Date(now.getTime() + 2 * HOUR),
      discard: false,
    };
    const rows = (['queued', 'sent', 'failed', 'failed', 'expired'] as const).flatMap((state) => [
      { ...row, id: uuid(), state, finished_at: state === 'queued' ? null : now },
    ]);
    const unreal = { ...row, id: uuid(), state: 'expired' as const, finished_at: now, discard: true };
    await app.deps.db
      .insertInto('mails')
      .values([...rows, unreal])
      .execute();
    expect((await overview()).mail).toEqual({
      queued: before.queued + 1,
      failed: before.failed + 2,
      expired: before.expired + 1,
    });
  });
});
