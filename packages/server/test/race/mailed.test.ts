import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, refreshTokenIn, refreshWith, registerUser, type TestUser, tally } from '../browser.ts';
import { CODE, linkTo, mailed } from '../mailed.ts';
import { auditOf, liveSessions, oneTimeTokensOf } from '../records.ts';
import { isRefusedInTime } from '../replicas.ts';
import { useProcesses } from './processes-fixture.ts';

const replicas = useProcesses();

const requestCode = async (user: TestUser): Promise<string> => {
  await createBrowser(replicas.either(0)).post('/auth/email-otp/request', { email: user.email });
  return mailed(replicas, user.email, CODE);
};
const verify = (url: string, email: string, code: string) =>
  createBrowser(url).post('/auth/email-otp/verify', { email, code });
const requestReset = async (user: TestUser): Promise<string> => {
  await createBrowser(replicas.either(1)).post('/auth/password/forgot', { email: user.email });
  return mailed(replicas, user.email, linkTo('reset-password'));
};

describe('emailed codes on two servers', () => {
  it('20 concurrent wrong guesses: five are checked, and then the right code is refused', async () => {
    const user = await registerUser(replicas.either(0));
    const code = await requestCode(user);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const answers = await replicas.many(20, (url) => verify(url, user.email, wrong));
    expect(tally(answers)).toEqual({ 401: 20 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [row] = await oneTimeTokensOf(replicas.database, user.user_id, 'login_code');
    expect(row!.attempts).toBe(5);
    expect((await verify(replicas.either(1), user.email, code)).status).toBe(401);
  });

  it('20 concurrent requests with the right code open one session', async () => {
    const user = await registerUser(replicas.either(0));
    const code = await requestCode(user);
    const answers = await replicas.many(20, (url) => verify(url, user.email, code));
    expect(tally(answers)).toEqual({ 200: 1, 401: 19 });
    expect(await liveSessions(replicas.database, user.user_id)).toHaveLength(2);
  });
});

describe('mailed links on two servers', () => {
  it('20 resets with one token: one succeeds, every session ends, and only the password of that request is valid', async () => {
    const user = await registerUser(replicas.either(0));
    const token = await requestReset(user);
    const passwordOf = (index: number) => `a new password, number ${index}`;
    const answers = await replicas.many(20, (url, index) =>
      createBrowser(url).post('/auth/password/reset', { token, new_password: passwordOf(index) }),
    );
    expect(tally(answers)).toEqual({ 204: 1, 401: 19 });
    const winner = answers.findIndex(({ status }) => status === 204);
    expect(await liveSessions(replicas.database, user.user_id)).toEqual([]);
    const login = (password: string) =>
      createBrowser(replicas.either(0)).post('/auth/login', { email: user.email, password });
    expect((await login(passwordOf(winner))).status).toBe(200);
    expect((await login(user.password)).status).toBe(401);
  });

  it('a reset that races sign-ins with the old password and refreshes leaves no session', async () => {
    const user = await registerUser(replicas.either(0));
    const token = await requestReset(user);
    const refresh = user.browser.jar.get('service_rt')!;
    const credentials = { email: user.email, password: user.password };
    const [reset, refreshed, logins] = await Promise.all([
      createBrowser(replicas.either(0)).post('/auth/password/reset', {
        token,
        new_password: 'a new password',
      }),
      refreshWith(replicas.either(1), refresh),
      replicas.many(8, (url) => createBrowser(url).post('/auth/login', credentials)),
    ]);
    expect(reset.status).toBe(204);
    expect(await liveSessions(replicas.database, user.user_id)).toEqual([]);
    const next = refreshTokenIn(refreshed);
    if (next) expect((await refreshWith(replicas.either(0), next)).status).toBe(401);
    const tokens = [refreshed, ...logins].flatMap(({ json }) => json.access_token ?? []);
    for (const url of replicas.urls) {
      for (const opened of tokens) expect(await isRefusedInTime(url, opened)).toBe(true);
    }
  });

  it('20 verifications with one token: one succeeds', async () => {
    const user = await registerUser(replicas.either(0));
    const token = await mailed(replicas, user.email, linkTo('verify-email'));
    const answers = await replicas.many(20, (url) => createBrowser(url).post('/auth/email/verify', { token }));
    expect(tally(answers)).toEqual({ 204: 1, 401: 19 });
  });
});

describe('limits on two servers', () => {
  it('wrong passwords of a signed-in user: five attempts, then 429 on both servers', async () => {
    const user = await registerUser(replicas.either(0));
    const answers = await replicas.many(10, (url) =>
      createBrowser(url).post(
        '/users/me/password',
        { current_password: 'not this one either', new_password: 'a brand new password' },
        bearer(user.access_token),
      ),
    );
    expect(tally(answers)).toEqual({ 401: 5, 429: 5 });
  });

  it('one email gets at most ten mails', async () => {
    const user = await registerUser(replicas.either(0));
    const answers = await replicas.many(15, (url) =>
      createBrowser(url).post('/auth/password/forgot', { email: user.email }),
    );
    expect(tally(answers)).toEqual({ 204: 15 });
    const filter = { resource_id: user.user_id, action: 'auth.password_reset.requested' } as const;
    expect(await auditOf(replicas.database, filter)).toHaveLength(10);
  });
});
