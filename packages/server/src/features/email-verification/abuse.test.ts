import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, PASSWORD, registerUser } from '../../../test/browser.ts';
import { startFakeMailApi } from '../../../test/fake-mail-api.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { type Mailbox, openMailbox } from '../../../test/mailbox.ts';
import { findUser } from '../../../test/records.ts';

const app = useTestApp();
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = openMailbox(app);
});

describe('a signed-in user who names the email of another user', () => {
  it('a user who names the email of another user cannot use up the mails that the owner needs to sign in', async () => {
    const [thief, victim] = [await registerUser(app), await registerUser(app)];
    for (let index = 0; index < 12; index++) {
      await thief.browser.post('/users/me/email', { email: victim.email, password: PASSWORD });
    }
    await mailbox.take(victim.email);
    await createBrowser(app).post('/auth/password/forgot', { email: victim.email });
    await createBrowser(app).post('/auth/email-otp/request', { email: victim.email });
    expect(await mailbox.take(victim.email)).toHaveLength(2);
  });

  it('changing the password back and forth sends at most ten notices to the email of the account', async () => {
    const { browser, email } = await registerUser(app);
    await mailbox.take(email);
    const passwords = [PASSWORD, 'another horse, another staple'];
    for (let index = 0; index < 14; index++) {
      const [current_password, new_password] = index % 2 === 0 ? passwords : [...passwords].reverse();
      const answer = await browser.post('/users/me/password', { current_password, new_password });
      expect(answer.status).toBe(204);
    }
    expect(await mailbox.take(email)).toHaveLength(10);
    await createBrowser(app).post('/auth/password/forgot', { email });
    expect(await mailbox.take(email)).toHaveLength(1);
  });

  it('a user who names the email of the initial owner becomes platform owner neither through the link nor at the next start', async () => {
    const api = await startFakeMailApi();
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://id.example.com',
      INITIAL_OWNER_EMAIL: 'boss@example.com',
      EMAIL_API_KEY: 're_hush',
      EMAIL_FROM: 'id@example.com',
      EMAIL_API_BASE_URL: api.url,
    };
    const production = await startTestApp({ environment });
    const thief = await registerUser(production);
    await thief.browser.post('/users/me/email', { email: 'boss@example.com', password: PASSWORD });
    let token: string | undefined;
    for (let waited = 0; token === undefined && waited < 500; waited++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      token = api.requests
        .map(({ body }) => JSON.stringify(body))
        .filter((body) => body.includes('boss@example.com'))
        .flatMap((body) => /verify-email\?token=([\w-]+)/.exec(body)?.[1] ?? [])[0];
    }
    expect((await createBrowser(production).post('/auth/email/verify', { token })).status).toBe(204);
    expect(await findUser(production, thief.user_id)).toMatchObject({ email: 'boss@example.com', platform_role: null });
    const restarted = await startTestApp({ environment, database: production.database });
    expect((await findUser(production, thief.user_id)).platform_role).toBeNull();
    await restarted.close();
    await production.close();
    await api.close();
  });
});
