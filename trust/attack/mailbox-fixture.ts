import {
  type Authenticator,
  addPasskey,
  beginSigningIn,
  createAuthenticator,
} from '../../packages/server/test/authenticator.ts';
import {
  type Answer,
  type Browser,
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  refreshWith,
  registerUser,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { CODE, mailed } from '../../packages/server/test/mailed.ts';
import { knowInvitation, knowToken } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import { type Enrolled, enrol, halfSignIn } from '../../packages/server/test/second-factor.ts';

/** What an attacker has of an account that they registered with the email of someone else. */
interface Loot extends TestUser {
  readonly device: Authenticator;
  readonly refresh_token: string;
  readonly trust: string;
  readonly email_change: string;
  readonly invitation: string;
  readonly factor: (Enrolled & { readonly mfa_token: string }) | undefined;
}

/** Registers as the attacker, with a credential of each kind. `mfa` is false if the owner must sign in to take over. */
export async function squat({ urls, database }: Replicas, { mfa }: { mfa: boolean }): Promise<Loot> {
  const url = urls[0]!;
  const user = await registerUser(url);
  const { browser, user_id, organization_id } = user;
  const device = createAuthenticator();
  await addPasskey(browser, device);
  const invited = await browser.post(`/orgs/${organization_id}/invitations`, { email: newEmail(), role: 'owner' });
  await browser.post('/users/me/email', { email: newEmail('attacker'), password: PASSWORD });
  await createBrowser(url).post('/auth/password/forgot', { email: user.email });
  const enrolled = mfa ? await enrol(url, user) : undefined;
  await browser.post('/auth/trusted-browsers', {});
  return {
    ...user,
    access_token: enrolled?.verified_token ?? user.access_token,
    device,
    refresh_token: browser.jar.get('service_rt')!,
    trust: `service_trust=${browser.jar.get('service_trust')}`,
    email_change: await knowToken(database, user_id, 'email_change'),
    invitation: await knowInvitation(database, invited.json.id),
    factor: enrolled && { ...enrolled, mfa_token: await halfSignIn(url, user) },
  };
}

interface Return {
  readonly name: string;
  readonly mfa: boolean;
  readonly take: (replicas: Replicas, loot: Loot) => Promise<Answer>;
}

const NEW_PASSWORD = 'chosen by the owner of the mailbox';

export async function signInByCode({ urls, folder }: Replicas, email: string): Promise<Browser> {
  const browser = createBrowser(urls[0]!);
  await browser.post('/auth/email-otp/request', { email });
  await browser.post('/auth/email-otp/verify', { email, code: await mailed({ folder }, email, CODE) });
  return browser;
}

export const RETURNS: readonly Return[] = [
  {
    name: 'reclaim after an emailed code',
    mfa: false,
    take: async (replicas, { email }) => (await signInByCode(replicas, email)).post('/auth/reclaim'),
  },
  {
    name: 'the verification link with disown',
    mfa: true,
    take: async ({ urls, database }, { user_id }) =>
      createBrowser(urls[0]!).post('/auth/email/verify', {
        token: await knowToken(database, user_id, 'email_verification'),
        disown: true,
      }),
  },
  {
    name: 'a reset with disown',
    mfa: true,
    take: async ({ urls, database }, { user_id }) =>
      createBrowser(urls[0]!).post('/auth/password/reset', {
        token: await knowToken(database, user_id, 'password_reset'),
        new_password: NEW_PASSWORD,
        disown: true,
      }),
  },
];

/** What the attacker tries after the takeover, at either server. Each request must be refused. */
export const TRIES: Readonly<Record<string, (url: string, loot: Loot) => Promise<Answer | undefined>>> = {
  'the session': (url, { access_token }) => createBrowser(url).get('/auth/session', bearer(access_token)),
  'a write by the session': (url, { access_token }) =>
    createBrowser(url).post('/users/me/password', { new_password: PASSWORD }, bearer(access_token)),
  'the refresh token': (url, { refresh_token }) => refreshWith(url, refresh_token),
  'the password': (url, { email }) => createBrowser(url).post('/auth/login', { email, password: PASSWORD }),
  'the password in a trusted browser': (url, { email, trust }) =>
    createBrowser(url).post('/auth/login', { email, password: PASSWORD }, { headers: { cookie: trust } }),
  'the passkey': async (url, { email, device }) =>
    createBrowser(url).post('/auth/passkey/login/complete', {
      credential: device.get(await beginSigningIn(url, email)),
    }),
  'a pending sign-in with the app': async (url, { factor }) =>
    factor && createBrowser(url).post('/auth/mfa/challenge', { mfa_token: factor.mfa_token, code: factor.app.code() }),
  'a pending sign-in with a recovery code': async (url, { factor }) =>
    factor &&
    createBrowser(url).post('/auth/mfa/challenge', {
      mfa_token: factor.mfa_token,
      recovery_code: factor.recovery_codes[0],
    }),
  'the change of email': (url, { email_change }) =>
    createBrowser(url).post('/auth/email/verify', { token: email_change }),
  'the invitation': (url, { invitation }) =>
    createBrowser(url).post('/auth/invitations/accept', { token: invitation, password: PASSWORD }),
};
