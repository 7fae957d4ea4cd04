import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, claimsOf, createBrowser, newEmail, registerUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  beforeSessionOpens,
  countSessions,
  join,
  liveSessions,
  setUser,
  suspendOrganization,
} from '../../../test/records.ts';
import { challenge, type Enrolled, enrolNew, halfSignIn } from '../../../test/second-factor.ts';
import { signPrivateToken } from '../../domain/sessions/private-token.ts';
import { seconds } from '../../platform/clock.ts';

const app = useTestApp();

const FAILED = 'auth.mfa.challenge.failed';
const LOCKED = 'auth.mfa.challenge.locked';
const trailOf = async ({ user_id }: { user_id: string }) => {
  const rows = await auditOf(app, {
    actor_id: user_id,
    action: ['auth.mfa.challenge.succeeded', FAILED, LOCKED],
  });
  return rows.map(({ action, outcome, metadata }) => ({ action, outcome, metadata }));
};
const attemptsOf = async (token: string) =>
  (await app.deps.db.selectFrom('mfa_tokens').selectAll().where('jti', '=', claimsOf(token).jti).executeTakeFirst())
    ?.attempts;
const failed = (reason: string, method = 'totp') => ({
  action: FAILED,
  outcome: 'failure',
  metadata: { method, reason },
});
const wrongTimes = async (account: Enrolled, token: string, times: number) => {
  const answers = [];
  for (let index = 0; index < times; index++) answers.push(await challenge(app, token, { code: account.app.wrong() }));
  return answers;
};

describe('§4.2 POST /auth/mfa/challenge', () => {
  it('a right code is 200: an aal2 session by password_with_mfa, verified now, three cookies; audited', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    app.clock.advance(7);
    const browser = createBrowser(app);
    const answer = await browser.post('/auth/mfa/challenge', { mfa_token: token, code: account.app.code() });
    expect(answer.status).toBe(200);
    const mfa_verified_at = app.clock.now().toISOString();
    expect(answer.json).toMatchObject({
      status: 'success',
      user: {
        user_id: account.user_id,
        organization_id: account.organization_id,
        email: account.email,
        auth_method: 'password_with_mfa',
        aal: 'aal2',
        mfa_verified_at,
      },
      capabilities: { role: 'owner' },
      expires_in: 900,
    });
    expect(answer.set_cookies.map((line) => line.split('=')[0]).sort()).toEqual([
      'service_at',
      'service_csrf',
      'service_rt',
    ]);
    expect(claimsOf(answer.json.access_token)).toMatchObject({
      sub: account.user_id,
      org: account.organization_id,
      aal: 'aal2',
      auth_method: 'password_with_mfa',
      auth_time: seconds(app.clock.now()),
    });
    expect((await browser.get('/auth/session')).json.user).toMatchObject({ aal: 'aal2', mfa_verified_at });
    expect(await trailOf(account)).toEqual([
      { action: 'auth.mfa.challenge.succeeded', outcome: 'success', metadata: { method: 'totp' } },
    ]);
  });

  it('a refresh neither renews nor loses mfa_verified_at', async () => {
    const account = await enrolNew(app);
    const browser = createBrowser(app);
    const token = await halfSignIn(app, account);
    const { json } = await browser.post('/auth/mfa/challenge', { mfa_token: token, code: account.app.code() });
    app.clock.advance(240);
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect(claimsOf(browser.jar.get('service_at')!)).toMatchObject({ aal: 'aal2' });
    expect((await browser.get('/auth/session')).json.user.mfa_verified_at).toBe(json.user.mfa_verified_at);
  });

  it('a recovery code works once, in any notation', async () => {
    const account = await enrolNew(app);
    const typed = ` ${account.recovery_codes[3]!.toUpperCase().replaceAll('-', ' ')}`;
    const answer = await challenge(app, await halfSignIn(app, account), { recovery_code: typed });
    expect(answer.status).toBe(200);
    expect(answer.json.user).toMatchObject({ aal: 'aal2', auth_method: 'password_with_mfa' });
    const again = await challenge(app, await halfSignIn(app, account), { recovery_code: account.recovery_codes[3] });
    expect(again.status).toBe(401);
    expect(await trailOf(account)).toEqual([
      { action: 'auth.mfa.challenge.succeeded', outcome: 'success', metadata: { method: 'recovery_code' } },
      failed('mismatch', 'recovery_code'),
    ]);
  });

  it('accepts one step of clock drift each way, not two', async () => {
    const account = await enrolNew(app);
    app.clock.advance(300);
    for (const [ahead, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [1, 200],
      [0, 200],
    ] as const) {
      const answer = await challenge(app, await halfSignIn(app, account), { code: account.app.code(ahead) });
      expect([ahead, answer.status]).toEqual([ahead, status]);
    }
  });

  it('a code works once per user, over all tokens', async () => {
    const account = await enrolNew(app);
    const tokens = [await halfSignIn(app, account), await halfSignIn(app, account)];
    const code = account.app.code();
    expect((await challenge(app, tokens[0]!, { code })).status).toBe(200);
    expect((await challenge(app, tokens[1]!, { code })).status).toBe(401);
    expect(await attemptsOf(tokens[1]!)).toBe(1);
    // A used code is rejected in the next time step, and also after the next code was used.
    app.clock.advance(30);
    expect((await challenge(app, tokens[1]!, { code })).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, account), { code: account.app.code() })).status).toBe(200);
    expect((await challenge(app, tokens[1]!, { code })).status).toBe(401);
  });

  it('a right code consumes the token: 401 with the next code, until the token expires', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    await challenge(app, token, { code: account.app.code() });
    expect((await challenge(app, token, { code: account.app.code(1) })).status).toBe(401);
    expect(await attemptsOf(token)).toBe(0);
    app.clock.advance(599);
    await app.sweeper.pass();
    expect(await attemptsOf(token)).toBe(0);
    app.clock.advance(2);
    await app.sweeper.pass();
    expect(await attemptsOf(token)).toBeUndefined();
    expect((await trailOf(account)).slice(1)).toEqual([failed('void')]);
  });

  it('signs in to the organization that was named with the first factor', async () => {
    const account = await enrolNew(app);
    const second = await join(app, account.user_id, { name: 'Second' });
    const { email, password } = account;
    for (const [index, organization_id] of [second, account.organization_id].entries()) {
      const { json } = await createBrowser(app).post('/auth/login', { email, password, organization_id });
      const answer = await challenge(app, json.mfa_token, { code: account.app.code(index) });
      expect(answer.json.user.organization_id).toBe(organization_id);
    }
  });

  it('after an emailed code and a second factor, auth_method is password_with_mfa, as after a password', async () => {
    const account = await enrolNew(app);
    await createBrowser(app).post('/auth/email-otp/request', { email: account.email });
    const code = await app.mailbox.takeCode(account.email);
    const half = await createBrowser(app).post('/auth/email-otp/verify', { email: account.email, code });
    expect(half.json.status).toBe('mfa_required');
    const answer = await challenge(app, half.json.mfa_token, { code: account.app.code() });
    expect(answer.json.user.auth_method).toBe('password_with_mfa');
  });
});

describe('wrong codes at the challenge', () => {
  it('five wrong codes get 401, later ones 429, also the right one; the lock is audited once, and so is every attempt', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    app.clock.advance(60);
    const answers = await wrongTimes(account, token, 7);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const right = await challenge(app, token, { code: account.app.code() });
    expect(right.status).toBe(429);
    expect(right.json.error).toMatchObject({ code: 'rate_limited', type: 'rate_limited' });
    expect(right.headers['retry-after']).toBe('240');
    const recovery = await challenge(app, token, { recovery_code: account.recovery_codes[0] });
    expect(recovery.status).toBe(429);
    expect(await trailOf(account)).toEqual([
      ...Array(5).fill(failed('mismatch')),
      { action: LOCKED, outcome: 'failure', metadata: { method: 'totp' } },
      ...Array(3).fill(failed('locked')),
      failed('locked', 'recovery_code'),
    ]);
    expect(await countSessions(app, account.user_id)).toBe(1);
  });

  it('after four wrong codes the right one works; a code rejected by the lock can still be used with another token', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    await wrongTimes(account, token, 4);
    expect((await challenge(app, token, { code: account.app.code() })).status).toBe(200);
    const locked = await halfSignIn(app, account);
    await wrongTimes(account, locked, 5);
    expect((await challenge(app, locked, { code: account.app.code(1) })).status).toBe(429);
    expect((await challenge(app, await halfSignIn(app, account), { code: account.app.code(1) })).status).toBe(200);
  });

  it('text that is not a code counts as a wrong one: 401', async () => {
    const account = await enrolNew(app);
    for (const code of ['1', '12345', 'abcdef', 'k7ta-93xq-m2fv-0wzd', '１２３４５６', 'x'.repeat(40)]) {
      const token = await halfSignIn(app, account);
      expect((await challenge(app, token, { code })).status, code).toBe(401);
      expect((await challenge(app, token, { recovery_code: code })).status, code).toBe(401);
      expect(await attemptsOf(token)).toBe(2);
    }
  });

  it('of 20 concurrent wrong codes five get 401, the others 429; the right code then gets 429 too', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    const code = account.app.wrong();
    const answers = await atOnce(20, () => challenge(app, token, { code }));
    expect(tally(answers)).toEqual({ 401: 5, 429: 15 });
    expect((await challenge(app, token, { code: account.app.code() })).status).toBe(429);
    const trail = await trailOf(account);
    expect(trail.filter(({ action }) => action === LOCKED)).toHaveLength(1);
    expect(trail.filter(({ action }) => action === FAILED)).toHaveLength(21);
  });

  it('the right code among 29 concurrent wrong ones opens a session unless five wrong ones were checked first', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    const [right, wrong] = [account.app.code(), account.app.wrong()];
    const answers = await atOnce(30, (index) => challenge(app, token, { code: index === 10 ? right : wrong }));
    const { 200: opened = 0, 401: rejected = 0 } = tally(answers);
    // If a session was opened, later requests get 401 for the consumed token, so their number is not fixed.
    if (opened === 0) expect(rejected).toBe(5);
    expect(await attemptsOf(token)).toBeLessThanOrEqual(5);
    expect(await countSessions(app, account.user_id)).toBe(1 + opened);
  });

  it('a right code is rejected if concurrent wrong ones have locked the token', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    beforeSessionOpens(app, () => wrongTimes(account, token, 5));
    const answer = await challenge(app, token, { code: account.app.code() });
    expect(answer.status).toBe(429);
    expect(await countSessions(app, account.user_id)).toBe(1);
    // The rejected request has not consumed the code.
    expect((await challenge(app, await halfSignIn(app, account), { code: account.app.code() })).status).toBe(200);
  });

  it('ten concurrent right codes open one session', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    const code = account.app.code();
    expect(tally(await atOnce(10, () => challenge(app, token, { code })))).toEqual({ 200: 1, 401: 9 });
    expect(await liveSessions(app, account.user_id)).toHaveLength(2);
    expect(await attemptsOf(token)).toBe(0);
  });

  it('one code with ten concurrent tokens opens one session', async () => {
    const account = await enrolNew(app);
    const tokens = await atOnce(10, () => halfSignIn(app, account));
    const code = account.app.code();
    const answers = await atOnce(10, (index) => challenge(app, tokens[index]!, { code }));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
  });

  it('one token with ten concurrent recovery codes opens one session and uses one code', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    const answers = await atOnce(10, (index) =>
      challenge(app, token, { recovery_code: account.recovery_codes[index]! }),
    );
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    const status = await account.browser.get('/auth/mfa/status');
    expect(status.json.recovery_codes_remaining).toBe(9);
  });

  it('one recovery code with ten concurrent tokens opens one session', async () => {
    const account = await enrolNew(app);
    const tokens = await atOnce(10, () => halfSignIn(app, account));
    const [recovery_code] = account.recovery_codes;
    const answers = await atOnce(10, (index) => challenge(app, tokens[index]!, { recovery_code }));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
  });
});

describe('requests that do not count as an attempt', () => {
  let account: Enrolled;
  beforeAll(async () => {
    account = await enrolNew(app);
  });

  it.each([
    [{}, 'code: is required, or recovery_code instead'],
    [{ code: null, recovery_code: null }, 'code: is required, or recovery_code instead'],
    [{ code: '123456', recovery_code: 'x' }, 'recovery_code: must not be sent together with code'],
    [{ code: 123456 }, 'code: must be a string or null'],
    [{ code: '12\u00003456' }, 'code: must not contain control characters or invalid Unicode'],
    [{ code: '12\ud8003456' }, 'code: must not contain control characters or invalid Unicode'],
  ])('400 for the body %j, with the reason, and no attempt is counted', async (body, message) => {
    const token = await halfSignIn(app, account);
    const answer = await challenge(app, token, body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
    expect(await attemptsOf(token)).toBe(0);
    expect(await trailOf(account)).toEqual([]);
  });

  it('400 for a missing or empty token', async () => {
    const send = (body: object) => createBrowser(app).post('/auth/mfa/challenge', body);
    expect((await send({ code: '123456' })).json.error.message).toBe('mfa_token: is required');
    expect((await send({ mfa_token: '', code: '123456' })).status).toBe(400);
  });

  it('a recovery_code of null beside the code counts as omitted', async () => {
    const token = await halfSignIn(app, account);
    expect((await challenge(app, token, { code: account.app.code(), recovery_code: null })).status).toBe(200);
  });

  it('the same 401 for any token that the service did not issue, and nothing is written', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    const { keyring } = app.deps;
    const claims = { ...claimsOf(token), typ: undefined };
    const forged = [
      'x',
      'a b',
      'é',
      `${token}x`,
      token.slice(0, -2),
      account.access_token,
      account.browser.jar.get('service_rt')!,
      signPrivateToken(keyring, 'refresh', claims),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`,
    ];
    const answers = [];
    for (const each of forged) answers.push(await challenge(app, each, { code: account.app.code() }));
    expect(answers.map(({ status }) => status)).toEqual(forged.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await trailOf(account)).toEqual([]);
    // A correctly signed token that was never issued is rejected too.
    const unknown = signPrivateToken(keyring, 'mfa', { ...claims, jti: account.user_id });
    expect((await challenge(app, unknown, { code: account.app.code() })).status).toBe(401);
    expect((await challenge(app, token, { code: account.app.code() })).status).toBe(200);
  });

  it('the token is valid for five minutes; an attempt after that is 401, audited for five more minutes, and not counted', async () => {
    const account = await enrolNew(app);
    const tokens = [await halfSignIn(app, account), await halfSignIn(app, account)];
    app.clock.advance(299);
    expect((await challenge(app, tokens[0]!, { code: account.app.code() })).status).toBe(200);
    app.clock.advance(1);
    const late = await challenge(app, tokens[1]!, { code: account.app.code(1) });
    expect([late.status, late.json.error.code]).toEqual([401, 'authentication_required']);
    expect((await trailOf(account)).at(-1)).toEqual(failed('expired'));
    expect(await attemptsOf(tokens[1]!)).toBe(0);
    const { length } = await trailOf(account);
    app.clock.advance(300);
    expect((await challenge(app, tokens[1]!, { code: account.app.code() })).status).toBe(401);
    expect(await trailOf(account)).toHaveLength(length);
  });

  it('the mfa_token is accepted by no other endpoint', async () => {
    const token = await halfSignIn(app, await enrolNew(app));
    expect((await createBrowser(app).get('/auth/session', bearer(token))).status).toBe(401);
    expect((await createBrowser(app, new Map([['service_rt', token]])).post('/auth/refresh')).status).toBe(401);
    expect((await createBrowser(app, new Map([['service_at', token]])).get('/auth/session')).status).toBe(401);
  });
});

describe('changes between password and second factor', () => {
  const changed = async (change: (account: Enrolled) => Promise<unknown>) => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    await change(account);
    return challenge(app, token, { code: account.app.code() });
  };

  it.each<[string, (account: Enrolled) => Promise<unknown>]>([
    ['the account was disabled', ({ user_id }) => setUser(app, user_id, { status: 'disabled' })],
    [
      'the account was deleted',
      ({ user_id }) => setUser(app, user_id, { status: 'deleted', email: newEmail('deleted') }),
    ],
    ['MFA was disabled', ({ browser, password }) => browser.post('/auth/mfa/disable', { password })],
    [
      'the password was changed',
      ({ browser, password: current_password }) =>
        browser.post('/users/me/password', { current_password, new_password: 'another one entirely' }),
    ],
    [
      'the password was reset',
      async ({ email }) => {
        await createBrowser(app).post('/auth/password/forgot', { email });
        const token = await app.mailbox.takeToken(email, 'reset-password');
        return createBrowser(app).post('/auth/password/reset', { token, new_password: 'another one entirely' });
      },
    ],
  ])('401 if %s between password and second factor', async (_name, change) => {
    const answer = await changed(change);
    expect(answer.status).toBe(401);
    expect(answer.json.error).toMatchObject({
      code: 'authentication_required',
      message: 'the credentials are not valid',
    });
  });

  it('403 if the organization is suspended between password and second factor, only after the right code', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    await suspendOrganization(app, account.organization_id);
    expect((await challenge(app, token, { code: account.app.wrong() })).status).toBe(401);
    const answer = await challenge(app, token, { code: account.app.code() });
    expect(answer.json.error.code).toBe('forbidden');
    expect((await trailOf(account)).at(-1)).toEqual(failed('organization'));
    expect((await challenge(app, token, { code: account.app.code(1) })).status).toBe(401);
  });

  it('a user without MFA needs no challenge', async () => {
    const account = await registerUser(app);
    expect((await createBrowser(app).post('/auth/login', account)).json.status).toBe('success');
  });
});
