import { describe, expect, it } from 'vitest';
import { addPasskey, beginSigningIn, createAuthenticator } from '../../../test/authenticator.ts';
import { atOnce, createBrowser, PASSWORD, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { challenge, type Enrolled, enrolNew, halfSignIn } from '../../../test/second-factor.ts';

const app = useTestApp({
  environment: { LIMIT_TOTP: '8/1h', LIMIT_TOTP_PER_DAY: '20/1d', LIMIT_RECOVERY_CODE: '50/1h' },
});

const answer = async (user: Enrolled, given: object, password = PASSWORD) =>
  (await challenge(app, await halfSignIn(app, { ...user, password }), given)).status;

const guess = async (user: Enrolled, times: number, given = () => ({ code: user.app.wrong() }) as object) => {
  const statuses = [];
  for (let index = 0; index < times; index++) statuses.push(await answer(user, given()));
  return statuses;
};

const useUpTheDay = async (user: Enrolled) => {
  for (const times of [8, 8, 4]) {
    expect(await guess(user, times)).toEqual(Array(times).fill(401));
    app.clock.advance(3600);
  }
};

const RECOVERY = () => ({ recovery_code: 'k7ta-93xq-m2fv-0wzd' });
const noticesTo = async ({ email }: Enrolled) =>
  (await app.mailbox.take(email)).filter(({ subject }) => subject === 'Someone knows your password');

describe('an attacker who has a session', () => {
  it('an attacker with a session gets 429 over the daily limit of wrong codes; sign-in is counted separately', async () => {
    const user = await enrolNew(app);
    const verify = (code: string) => user.browser.post('/auth/mfa/verify', { code });
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 5; index++) expect((await verify(user.app.wrong())).status).toBe(401);
      app.clock.advance(901);
      await user.browser.post('/auth/refresh');
    }
    const limited = await verify(user.app.code());
    // The day begins with the first wrong code: the later ones do not restart it.
    const rest = 86_400 - 4 * 901;
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, String(rest)]);
    expect(await answer(user, { code: user.app.code() })).toBe(200);
    app.clock.advance(rest);
    await user.browser.post('/auth/refresh');
    expect((await verify(user.app.code())).status).toBe(200);
  });
});

describe('an attacker who knows the password', () => {
  it('an attacker with the password gets 429 over the daily limit of wrong codes, also for right ones, until the next day', async () => {
    const user = await enrolNew(app);
    await useUpTheDay(user);
    const token = await halfSignIn(app, user);
    const limited = await challenge(app, token, { code: user.app.code() });
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe(String(21 * 3600));
    app.clock.advance(21 * 3600);
    expect(await answer(user, { code: user.app.code() })).toBe(200);
  });

  it('an attacker with the password blocks neither recovery codes nor passkeys', async () => {
    const user = await enrolNew(app);
    const device = createAuthenticator();
    await addPasskey(user.browser, device);
    await useUpTheDay(user);
    expect(await answer(user, { recovery_code: user.recovery_codes[0] })).toBe(200);
    const credential = device.get(await beginSigningIn(app, user.email));
    expect((await createBrowser(app).post('/auth/passkey/login/complete', { credential })).status).toBe(200);
  });

  it('a password reset stops an attacker and clears the daily counter', async () => {
    const user = await enrolNew(app);
    await useUpTheDay(user);
    await createBrowser(app).post('/auth/password/forgot', { email: user.email });
    const token = await app.mailbox.takeToken(user.email, 'reset-password');
    const password = 'quite another password';
    await createBrowser(app).post('/auth/password/reset', { token, new_password: password });
    expect(await answer(user, { code: user.app.code() }, password)).toBe(200);
  });

  it('a password change stops an attacker and clears the daily counter, like a reset', async () => {
    const user = await enrolNew(app);
    await useUpTheDay(user);
    const new_password = 'quite another password';
    await user.browser.post('/auth/refresh');
    const changed = await user.browser.post('/users/me/password', { current_password: PASSWORD, new_password });
    expect(changed.status).toBe(204);
    expect(await answer(user, { code: user.app.code() }, new_password)).toBe(200);
  });
});

describe('the tenth wrong second factor in a day', () => {
  it('the tenth wrong code in a day sends one mail that says someone knows the password, and another one the next day', async () => {
    const user = await enrolNew(app);
    await guess(user, 4);
    await guess(user, 5, RECOVERY);
    expect(await noticesTo(user)).toEqual([]);
    await guess(user, 1);
    const [mail, ...more] = await noticesTo(user);
    expect(mail!.text).toContain('knows your password');
    expect(more).toEqual([]);
    await guess(user, 12, RECOVERY);
    expect(await noticesTo(user)).toEqual([]);
    app.clock.advance(86_400);
    await guess(user, 11, RECOVERY);
    expect(await noticesTo(user)).toHaveLength(1);
  });

  it('thirty concurrent wrong codes send one mail', async () => {
    const user = await enrolNew(app);
    const tokens = await atOnce(6, () => halfSignIn(app, user));
    const answers = await atOnce(30, (index) => challenge(app, tokens[index % 6]!, RECOVERY()));
    expect(tally(answers)).toEqual({ 401: 30 });
    expect(await noticesTo(user)).toHaveLength(1);
  });

  it('the mail about wrong codes does not mention the password if the first factor was an emailed code', async () => {
    const user = await enrolNew(app);
    for (let index = 0; index < 10; index++) {
      await createBrowser(app).post('/auth/email-otp/request', { email: user.email });
      const code = await app.mailbox.takeCode(user.email);
      const { mfa_token } = (await createBrowser(app).post('/auth/email-otp/verify', { email: user.email, code })).json;
      expect((await challenge(app, mfa_token, RECOVERY())).status).toBe(401);
      app.clock.advance(120);
    }
    const [mail] = await app.mailbox.take(user.email);
    expect(mail!.subject).toBe('Someone is trying to sign in to your account');
    expect(mail!.text).not.toContain('knows your password');
  });
});
