import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, newEmail, PASSWORD, registerUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';

const WEAK = 'password1234';
const REPEATED = 'abcabcabcabcabc';
const app = useTestApp({ environment: { PASSWORD_MIN_STRENGTH: '3' } });

const register = (target: TestApp, password: string) =>
  createBrowser(target).post('/auth/register', { email: newEmail(), password, organization_name: 'Example' });

describe('PASSWORD_MIN_STRENGTH', () => {
  it('every endpoint that sets a password answers 400 with a reason to a weak one', async () => {
    const user = await registerUser(app);
    const admin = await insertAdministrator(app);
    await app.mailbox.take(user.email);
    await createBrowser(app).post('/auth/password/forgot', { email: user.email });
    const token = await app.mailbox.takeToken(user.email, 'reset-password');
    const invited = newEmail();
    const invite = { email: invited, role: 'member' };
    await user.browser.post(`/orgs/${user.organization_id}/invitations`, invite);
    const invitation = await app.mailbox.takeToken(invited, 'accept-invitation');
    const answers = {
      password: await register(app, WEAK),
      'password of an invitation': await createBrowser(app).post('/auth/invitations/accept', {
        token: invitation,
        password: WEAK,
      }),
      'new_password of a reset': await createBrowser(app).post('/auth/password/reset', { token, new_password: WEAK }),
      new_password: await user.browser.post('/users/me/password', { current_password: PASSWORD, new_password: WEAK }),
      owner_password: await admin.post('/admin/orgs', {
        organization_name: 'Example',
        owner_email: newEmail(),
        owner_password: WEAK,
      }),
    };
    for (const [name, { status, json }] of Object.entries(answers)) {
      const field = name.split(' ')[0];
      expect([name, status, json.error.code]).toEqual([name, 400, 'invalid_input']);
      expect(json.error.message).toBe(
        `${field}: is too easy to guess because it is similar to a common password. Use several unrelated words`,
      );
    }
    expect(
      (await createBrowser(app).post('/auth/password/reset', { token, new_password: `${PASSWORD}!` })).status,
    ).toBe(204);
  });

  it('a password that reaches the score is accepted; a weak password that was set before still signs in', async () => {
    expect((await register(app, PASSWORD)).status).toBe(201);
    const open = await startTestApp({ database: app.database, clock: app.clock });
    const old = await registerUser(open, { password: WEAK });
    await open.close();
    const again = await createBrowser(app).post('/auth/login', { email: old.email, password: WEAK });
    expect(again.status).toBe(200);
  });

  it('the error says that the password repeats itself; only the first 100 characters are scored', async () => {
    expect((await register(app, REPEATED)).json.error.message).toContain('because it repeats');
    expect((await register(app, 'a'.repeat(100) + PASSWORD)).status).toBe(400);
    expect((await register(app, PASSWORD.repeat(9).slice(0, 250))).json?.error?.message ?? '').not.toContain(
      'undefined',
    );
  });

  it('log and error message contain no part of a rejected password', async () => {
    const answer = await register(app, 'qwertyuiop12');
    expect(answer.status).toBe(400);
    expect(answer.text + JSON.stringify(app.logs)).not.toContain('qwertyuiop12');
  });
});

describe('without PASSWORD_MIN_STRENGTH', () => {
  let open: TestApp;
  beforeAll(async () => {
    open = await startTestApp();
  });
  afterAll(() => open.close());

  it('a weak password of sufficient length is accepted', async () => {
    expect((await register(open, WEAK)).status).toBe(201);
  });
});
