import { describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../test/authenticator.ts';
import { type Answer, bearer, createBrowser, registerUser, signInAgain, type TestUser } from '../../test/browser.ts';
import { useTestApp } from '../../test/harness.ts';
import { setUser } from '../../test/records.ts';
import { type Enrolled, enrol, enrolNew } from '../../test/second-factor.ts';

const ORIGIN = 'https://app.example.com';

const app = useTestApp({ environment: { CORS_ORIGINS: ORIGIN } });

const remedyOf = ({ status, json, headers }: Answer) => [status, json.error?.code, headers['x-service-step-up']];
const needs = (stepUp: string) => [401, 'mfa_required', stepUp];

/** A route that needs fresh proof: a sign-in or MFA verification in the last 15 minutes. */
const freshRoute = ({ browser }: Pick<TestUser, 'browser'>) => browser.post('/users/me/passkeys/register/begin');
/** A route that needs an MFA verification in the last 5 minutes. */
const stepUpRoute = ({ browser }: Pick<TestUser, 'browser'>) => browser.post('/admin/integrations/oauth_a/test');

async function makeAdmin<P extends TestUser>(user: P): Promise<P> {
  await setUser(app, user.user_id, { platform_role: 'admin' });
  await app.deps.sessions.reload(user.session_id);
  return user;
}

const admin = async () => makeAdmin(await registerUser(app));
const enrolledAdmin = async (): Promise<Enrolled> => makeAdmin(await enrolNew(app));

/** Ages every session: neither the sign-in nor the second factor counts as fresh afterwards. */
async function age({ browser }: Pick<TestUser, 'browser'>) {
  app.clock.advance(16 * 60);
  expect((await browser.post('/auth/refresh')).status).toBe(200);
}

describe('X-Service-Step-Up: second_factor', () => {
  it('X-Service-Step-Up is second_factor with MFA on, for an aal1 session; after verifying a code the request succeeds', async () => {
    const user = await registerUser(app);
    const browser = await signInAgain(app, user);
    const enrolled = await enrol(app, user);
    expect(remedyOf(await freshRoute({ browser }))).toEqual(needs('second_factor'));
    expect((await browser.post('/auth/mfa/verify', { code: enrolled.app.code() })).status).toBe(200);
    expect((await freshRoute({ browser })).status).toBe(200);
  });

  it('X-Service-Step-Up is second_factor with MFA on, for an aal2 session whose authentication is not fresh', async () => {
    const user = await enrolNew(app);
    await age(user);
    expect(remedyOf(await freshRoute(user))).toEqual(needs('second_factor'));
    expect((await user.browser.post('/auth/mfa/verify', { code: user.app.code() })).status).toBe(200);
    expect((await freshRoute(user)).status).toBe(200);
  });

  it('X-Service-Step-Up is second_factor with MFA on, where a step-up of the last 5 minutes is needed, also for a user who has a passkey', async () => {
    const user = await enrolledAdmin();
    expect((await addPasskey(user.browser, createAuthenticator())).status).toBe(201);
    await age(user);
    expect(remedyOf(await stepUpRoute(user))).toEqual(needs('second_factor'));
    expect((await user.browser.post('/auth/mfa/verify', { code: user.app.code() })).status).toBe(200);
    expect((await stepUpRoute(user)).status).toBe(200);
  });

  it('X-Service-Step-Up is second_factor with MFA on, where a password is needed that the account does not have', async () => {
    const user = await enrolNew(app);
    await setUser(app, user.user_id, { password_hash: null });
    await age(user);
    expect(remedyOf(await user.browser.post('/auth/mfa/recovery-codes'))).toEqual(needs('second_factor'));
    expect((await user.browser.post('/auth/mfa/verify', { code: user.app.code() })).status).toBe(200);
    expect((await user.browser.post('/auth/mfa/recovery-codes')).status).toBe(200);
  });
});

describe('X-Service-Step-Up: sign_in', () => {
  it('X-Service-Step-Up is sign_in without MFA, where the sign-in is not fresh; after a new sign-in the request succeeds', async () => {
    const user = await registerUser(app);
    await age(user);
    expect(remedyOf(await freshRoute(user))).toEqual(needs('sign_in'));
    expect((await freshRoute({ browser: await signInAgain(app, user) })).status).toBe(200);
  });

  it('X-Service-Step-Up is sign_in without MFA, where a password is needed that the account does not have', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { password_hash: null });
    await age(user);
    const change = user.browser.post('/users/me/email', { email: `new-${user.email}` });
    expect(remedyOf(await change)).toEqual(needs('sign_in'));
  });

  it.each([
    ['/users/me/password', 16, { new_password: 'short' }],
    ['/users/me/email', 6, { email: 'not an address' }],
    ['/auth/mfa/disable', 6, { password: 7 }],
    ['/auth/mfa/recovery-codes', 6, { password: 7 }],
  ])(
    'X-Service-Step-Up is sign_in at %s without a password, before the body is validated',
    async (path, minutes, body) => {
      const user = await registerUser(app);
      await setUser(app, user.user_id, { password_hash: null });
      app.clock.advance((minutes - 2) * 60);
      expect((await user.browser.post(path, body)).status).toBe(400);
      app.clock.advance(2 * 60);
      expect((await user.browser.post('/auth/refresh')).status).toBe(200);
      expect(remedyOf(await user.browser.post(path, body))).toEqual(needs('sign_in'));
    },
  );

  it('X-Service-Step-Up is sign_in where a step-up is needed and the only factor is a passkey; after signing in with it the request succeeds', async () => {
    const user = await admin();
    const authenticator = createAuthenticator();
    expect((await addPasskey(user.browser, authenticator)).status).toBe(201);
    const refused = await stepUpRoute(user);
    expect(remedyOf(refused)).toEqual(needs('sign_in'));
    expect(refused.json.error.message).toMatch(/passkey/);
    const browser = createBrowser(app);
    const { publicKey } = (await browser.post('/auth/passkey/login/begin', { email: user.email })).json;
    const credential = authenticator.get(publicKey);
    expect((await browser.post('/auth/passkey/login/complete', { credential })).status).toBe(200);
    expect((await stepUpRoute({ browser })).status).toBe(200);
  });
});

describe('X-Service-Step-Up: enroll', () => {
  it('X-Service-Step-Up is enroll where a step-up is needed and the user has neither TOTP nor a passkey, or has removed the passkey', async () => {
    const user = await admin();
    expect(remedyOf(await stepUpRoute(user))).toEqual(needs('enroll'));
    const { json } = await addPasskey(user.browser, createAuthenticator());
    expect((await user.browser.delete(`/users/me/passkeys/${json.id}`)).status).toBe(204);
    expect(remedyOf(await stepUpRoute(user))).toEqual(needs('enroll'));
    await enrol(app, user);
    expect((await stepUpRoute(user)).status).toBe(200);
  });
});

describe('X-Service-Step-Up', () => {
  it('is in no other 401 response', async () => {
    const { headers } = await createBrowser(app).post('/users/me/passkeys/register/begin', {}, bearer('x'));
    expect(headers).not.toHaveProperty('x-service-step-up');
  });

  it('can be read by pages of listed origins', async () => {
    const user = await admin();
    const { headers } = await user.browser.post('/admin/integrations/oauth_a/test', undefined, {
      headers: { origin: ORIGIN },
    });
    expect(headers['x-service-step-up']).toBe('enroll');
    expect(headers['access-control-expose-headers']).toMatch(/(^|, )x-service-step-up(,|$)/);
  });
});
