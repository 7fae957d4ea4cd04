import { describe, expect, it } from 'vitest';
import { beginAdding, createAuthenticator } from '../authenticator.ts';
import { type Browser, createBrowser, PASSWORD, registerUser, signInAgain, type TestUser } from '../browser.ts';
import { CODE, mailed, mailsIn } from '../mailed.ts';
import { auditOf, findUser, knowToken, liveSessions } from '../records.ts';
import { isRefusedInTime, useReplicas } from '../replicas.ts';
import { ROUNDS } from './processes-fixture.ts';

const replicas = useReplicas();

const here = () => replicas.urls[0]!;

const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));

/** Signs in as the owner of the mailbox, with the first code mailed there. */
async function signInByCode({ email }: Pick<TestUser, 'email'>): Promise<Browser> {
  await createBrowser(here()).post('/auth/email-otp/request', { email });
  const browser = createBrowser(here());
  const answer = await browser.post('/auth/email-otp/verify', { email, code: await mailed(replicas, email, CODE) });
  expect(answer.status).toBe(200);
  return browser;
}

const livingPasskeys = (user_id: string) =>
  replicas.database.db
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

const reclaimed = (user_id: string) =>
  auditOf(replicas.database, { resource_id: user_id, action: 'account.reclaimed' });

describe('the owner of a mailbox and an attacker, on two servers', () => {
  it('20 concurrent reclaims of one session are all 204, and one of them removes everything unproven', async () => {
    const user = await registerUser(here());
    const owner = await signInByCode(user);
    const answers = await replicas.many(20, (url) => at(url, owner).post('/auth/reclaim'));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await reclaimed(user.user_id)).toHaveLength(1);
    expect(await liveSessions(replicas.database, user.user_id)).toHaveLength(1);
    for (const url of replicas.urls) expect(await isRefusedInTime(url, user.access_token)).toBe(true);
  });

  it('a reclaim that races sign-ins with the password of the attacker leaves no session of the attacker', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const owner = await signInByCode(user);
      const { email } = user;
      const attack = (url: string) => createBrowser(url).post('/auth/login', { email, password: PASSWORD });
      const [done] = await Promise.all([
        at(replicas.either(round), owner).post('/auth/reclaim'),
        replicas.many(8, attack),
      ]);
      expect(done.status).toBe(204);
      expect(await liveSessions(replicas.database, user.user_id)).toHaveLength(1);
      expect((await findUser(replicas.database, user.user_id)).password_hash).toBeNull();
      expect((await attack(here())).status).toBe(401);
    }
  });

  it('a disowning link that races passkey registrations leaves no passkey', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const token = await knowToken(replicas.database, user.user_id, 'email_verification');
      const credentials = await Promise.all(
        Array.from({ length: 6 }, async () => createAuthenticator().create(await beginAdding(user.browser))),
      );
      const [done] = await Promise.all([
        createBrowser(replicas.either(round)).post('/auth/email/verify', { token, disown: true }),
        replicas.many(6, (url, index) =>
          at(url, user.browser).post('/users/me/passkeys/register/complete', { credential: credentials[index] }),
        ),
      ]);
      expect(done.status).toBe(204);
      expect(await livingPasskeys(user.user_id)).toEqual([]);
      expect(await liveSessions(replicas.database, user.user_id)).toEqual([]);
    }
  });

  it("a reclaim that races a password change by the attacker removes the attacker's password", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const owner = await signInByCode(user);
      const attacker = await signInAgain(here(), user);
      const change = { current_password: PASSWORD, new_password: 'the attacker chose this' };
      const [done, changed] = await Promise.all([
        at(replicas.either(round), owner).post('/auth/reclaim'),
        at(replicas.either(round + 1), attacker).post('/users/me/password', change),
      ]);
      // If the change is first, it ends the owner's session; the owner can sign in and reclaim again.
      expect([204, 401]).toContain(done.status);
      if (done.status === 401) expect(changed.status).toBe(204);
      else expect((await findUser(replicas.database, user.user_id)).password_hash).toBeNull();
    }
  });

  it('several sign-ins by code send one notice', async () => {
    const user = await registerUser(here());
    await signInByCode(user);
    const { email } = user;
    for (let again = 0; again < 2; again++) {
      const seen = new Set(
        mailsIn(replicas).flatMap(({ to, text }) => (to === email ? (CODE.exec(text)?.[1] ?? []) : [])),
      );
      await createBrowser(here()).post('/auth/email-otp/request', { email });
      await expect
        .poll(() => mailsIn(replicas).filter(({ to, text }) => to === email && CODE.test(text)).length)
        .toBe(seen.size + 1);
      const code = mailsIn(replicas)
        .flatMap(({ to, text }) => (to === email ? (CODE.exec(text)?.[1] ?? []) : []))
        .find((one) => !seen.has(one));
      await createBrowser(replicas.either(again)).post('/auth/email-otp/verify', { email, code });
    }
    const notices = () =>
      mailsIn(replicas).filter(({ to, subject }) => to === email && subject === 'Is this account yours?');
    await expect.poll(() => notices().length).toBe(1);
  });
});
