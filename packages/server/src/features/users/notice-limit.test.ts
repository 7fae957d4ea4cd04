import { expect, it } from 'vitest';
import { addPasskey, beginAdding, createAuthenticator } from '../../../test/authenticator.ts';
import { type Answer, atOnce, bearer, createBrowser, PASSWORD, registerUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { knowToken, lockUserRow, untilBlocked } from '../../../test/records.ts';
import { challenge, type Enrolled, enrolNew, halfSignIn } from '../../../test/second-factor.ts';

const app = useTestApp({ environment: { LIMIT_MAIL_PER_ACCOUNT: '1/1m' } });

const subjectsTo = async (email: string) => (await app.mailbox.take(email)).map(({ subject }) => subject);

/** A user with MFA whose address may get one more notice. */
async function enrolWithFreshLimit(): Promise<Enrolled> {
  const user = await enrolNew(app);
  app.clock.advance(60);
  await subjectsTo(user.email);
  return user;
}

async function countedNotices(email: string): Promise<number> {
  const { limiter, config, db } = app.deps;
  const { key } = limiter.counter('mail notice', email, config.LIMIT_MAIL_PER_ACCOUNT);
  const row = await db.selectFrom('rate_counters').select('count').where('key', '=', key).executeTakeFirst();
  return row?.count ?? 0;
}

/** Two requests that both pass the checks before the transaction; only one of them makes the change. */
async function sendTwo(user: Enrolled, send: (index: number) => Promise<Answer>) {
  const letGo = await lockUserRow(app, user.user_id);
  const answers = atOnce(2, send);
  await untilBlocked(app, 2);
  await letGo();
  return tally(await answers);
}

it('of two concurrent password changes only the one that succeeds counts a notice', async () => {
  const user = await enrolWithFreshLimit();
  const body = { current_password: PASSWORD, new_password: 'quite another password' };
  const change = () => createBrowser(app).post('/users/me/password', body, bearer(user.verified_token));
  expect(await sendTwo(user, change)).toEqual({ 204: 1, 401: 1 });
  expect(await subjectsTo(user.email)).toEqual(['Your password was changed']);
  expect(await countedNotices(user.email)).toBe(1);
});

it('of two concurrent requests that disable MFA only the first counts a notice', async () => {
  const user = await enrolWithFreshLimit();
  const disable = () =>
    createBrowser(app).post('/auth/mfa/disable', { password: PASSWORD }, bearer(user.verified_token));
  expect(await sendTwo(user, disable)).toEqual({ 204: 2 });
  expect(await subjectsTo(user.email)).toEqual(['Two-step verification was turned off']);
  expect(await countedNotices(user.email)).toBe(1);
});

it('of two concurrent sign-ins with one recovery code only the one that succeeds counts a notice', async () => {
  const user = await enrolWithFreshLimit();
  const [recovery_code] = user.recovery_codes;
  const tokens = [await halfSignIn(app, user), await halfSignIn(app, user)];
  const signIn = (index: number) => challenge(app, tokens[index]!, { recovery_code });
  expect(await sendTwo(user, signIn)).toEqual({ 200: 1, 401: 1 });
  expect(await subjectsTo(user.email)).toEqual(['A recovery code for your account was used']);
  expect(await countedNotices(user.email)).toBe(1);
});

it('a passkey that is rejected because the email was verified meanwhile does not use up the notice', async () => {
  const { user_id, email, browser } = await registerUser(app);
  const options = await beginAdding(browser);
  const token = await knowToken(app, user_id, 'email_verification');
  expect((await browser.post('/auth/email/verify', { token })).status).toBe(204);
  await subjectsTo(email);
  const credential = createAuthenticator().create(options);
  expect((await browser.post('/users/me/passkeys/register/complete', { credential })).status).toBe(400);
  expect((await addPasskey(browser, createAuthenticator())).status).toBe(201);
  expect(await subjectsTo(email)).toEqual(['A passkey was added to your account']);
});

it('over the limit a recovery code is accepted without a notice', async () => {
  const user = await enrolWithFreshLimit();
  for (const recovery_code of user.recovery_codes.slice(0, 2)) {
    expect((await challenge(app, await halfSignIn(app, user), { recovery_code })).status).toBe(200);
  }
  expect(await subjectsTo(user.email)).toEqual(['A recovery code for your account was used']);
});
