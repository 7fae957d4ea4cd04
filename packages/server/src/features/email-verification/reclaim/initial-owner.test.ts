import { afterEach, describe, expect, it } from 'vitest';
import { bearer, createBrowser, PASSWORD, registerUser } from '../../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../../test/harness.ts';
import { auditOf, findUser, knowInvitation, knowToken } from '../../../../test/records.ts';
import { founder } from '../../../../test/team.ts';
import { hashCode } from '../../email-otp/code.ts';
import { leftIn, NOTHING_LEFT, signInByCode, squat } from './squat-fixture.ts';

const BOSS = 'boss@example.com';

const opened: TestApp[] = [];
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
});

const start = async (NODE_ENV: 'production' | 'development'): Promise<TestApp> => {
  const environment = {
    NODE_ENV,
    PUBLIC_BASE_URL: 'https://id.example.com',
    INITIAL_OWNER_EMAIL: BOSS,
    // The address of a mail server that does not exist.
    ...(NODE_ENV === 'production' && { SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'id@example.com' }),
  };
  const app = await startTestApp({ environment });
  opened.push(app);
  return app;
};

const roleOf = async (app: TestApp, id: string) => (await findUser(app, id)).platform_role;
const reclaimed = (app: TestApp, user_id: string) =>
  auditOf(app, { resource_id: user_id, action: 'account.reclaimed' });
/** Stores a known code instead of the requested one, whose mail is not sent. Returns the known code. */
async function knowCode(app: TestApp, subject: string): Promise<string> {
  const code = '123456';
  await createBrowser(app).post('/auth/email-otp/request', { email: BOSS });
  await app.deps.db
    .updateTable('one_time_tokens')
    .set({ token_hash: hashCode(app.deps.keyring, { subject, email: BOSS, code }) })
    .where('subject', '=', subject)
    .where('kind', '=', 'login_code')
    .execute();
  return code;
}
const verify = (app: TestApp, token: string) => createBrowser(app).post('/auth/email/verify', { token });

describe('INITIAL_OWNER_EMAIL in production, registered by an attacker first', () => {
  it('the mailed link grants the role and removes everything of the attacker', async () => {
    const app = await start('production');
    const { user_id, browser } = await squat(app, { email: BOSS, mfa: true });
    expect((await verify(app, await knowToken(app, user_id, 'email_verification'))).status).toBe(204);
    expect(await roleOf(app, user_id)).toBe('owner');
    expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
    expect((await browser.get('/auth/session')).status).toBe(401);
    expect(await reclaimed(app, user_id)).toMatchObject([
      { metadata: { passkeys: 1, identities: 1, sessions: 1, trusted_browsers: 1 } },
    ]);
    const items = await auditOf(app, { actor_id: user_id, action: ['passkey.removed', 'auth.oauth.unlinked'] });
    expect(items).toHaveLength(2);
  });

  it('a reset removes everything of the attacker and keeps the new password, also without disown', async () => {
    const app = await start('production');
    const { user_id } = await squat(app, { email: BOSS, mfa: true });
    const token = await knowToken(app, user_id, 'password_reset');
    const body = { token, new_password: 'chosen by the owner' };
    expect((await createBrowser(app).post('/auth/password/reset', body)).status).toBe(204);
    expect(await roleOf(app, user_id)).toBe('owner');
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, password: true });
    expect(await reclaimed(app, user_id)).toHaveLength(1);
  });

  it('a reclaim grants the role and keeps only the session that sent it', async () => {
    const app = await start('production');
    const { user_id } = await squat(app, { email: BOSS });
    const browser = createBrowser(app);
    const code = await knowCode(app, user_id);
    expect((await browser.post('/auth/email-otp/verify', { email: BOSS, code })).status).toBe(200);
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    expect(await roleOf(app, user_id)).toBe('owner');
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
    expect((await browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
  });

  it('the link removes nothing if the verifying request has a session of that account', async () => {
    for (const way of ['cookie', 'Bearer']) {
      const app = await start('production');
      const { user_id, browser, access_token } = await squat(app, { email: BOSS });
      const before = await leftIn(app, user_id);
      const body = { token: await knowToken(app, user_id, 'email_verification') };
      const answer =
        way === 'cookie'
          ? await browser.post('/auth/email/verify', body)
          : await createBrowser(app).post('/auth/email/verify', body, bearer(access_token));
      expect(answer.status).toBe(204);
      expect(await roleOf(app, user_id)).toBe('owner');
      const one_time = before.one_time.filter((kind) => kind !== 'email_verification');
      expect(await leftIn(app, user_id)).toEqual({ ...before, one_time });
    }
  });

  it.each([
    ['a cookie without CSRF', async (_app: TestApp) => ({ csrf: false }) as const],
    ['a session of another account', async (app: TestApp) => bearer((await registerUser(app)).access_token)],
    ['a bad Bearer beside good cookies', async () => ({ headers: { authorization: 'Bearer nonsense' } })],
    ['a page that shows another user', async () => ({ headers: { 'x-service-user': 'another' } })],
  ])(
    '%s does not count as a session of the account: the link removes everything of the attacker',
    async (_name, ask) => {
      const app = await start('production');
      const { user_id, browser } = await squat(app, { email: BOSS });
      const body = { token: await knowToken(app, user_id, 'email_verification') };
      expect((await browser.post('/auth/email/verify', body, await ask(app))).status).toBe(204);
      expect(await roleOf(app, user_id)).toBe('owner');
      expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
    },
  );

  it('the link removes nothing after the role was granted to another account', async () => {
    const app = await start('production');
    await app.deps.db.insertInto('milestones').values({ name: 'initial_owner', reached_at: app.clock.now() }).execute();
    const { user_id } = await squat(app, { email: BOSS });
    await verify(app, await knowToken(app, user_id, 'email_verification'));
    expect(await roleOf(app, user_id)).toBeNull();
    expect(await leftIn(app, user_id)).toMatchObject({ password: true, passkeys: 1, sessions: 1 });
  });

  it('the link removes nothing from other verified accounts', async () => {
    const app = await start('production');
    const { user_id } = await squat(app);
    await verify(app, await knowToken(app, user_id, 'email_verification'));
    expect(await leftIn(app, user_id)).toMatchObject({ password: true, passkeys: 1, sessions: 1 });
  });

  it('an invitation accepted in a session of the account grants the role and removes nothing', async () => {
    const app = await start('production');
    const user = await registerUser(app, { email: BOSS });
    const inviter = await founder(app);
    const path = `/orgs/${inviter.organization_id}/invitations`;
    const { json } = await inviter.browser.post(path, { email: BOSS, role: 'member' });
    const token = await knowInvitation(app, json.id);
    expect((await user.browser.post('/auth/invitations/accept', { token })).status).toBe(200);
    expect(await roleOf(app, user.user_id)).toBe('owner');
    expect(await leftIn(app, user.user_id)).toMatchObject({ password: true, sessions: 1 });
  });
});

describe('INITIAL_OWNER_EMAIL in development', () => {
  it('in development, a link and a reclaim behave as for any other account', async () => {
    const app = await start('development');
    const { user_id } = await squat(app, { email: BOSS });
    expect(await roleOf(app, user_id)).toBe('owner');
    const { browser } = await signInByCode(app, BOSS);
    await verify(app, await knowToken(app, user_id, 'email_verification'));
    expect(await leftIn(app, user_id)).toMatchObject({ password: true, passkeys: 1, sessions: 2 });
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    const again = await createBrowser(app).post('/auth/login', { email: BOSS, password: PASSWORD });
    expect(again.status).toBe(200);
  });
});
