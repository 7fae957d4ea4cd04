import { v7 as uuid } from 'uuid';
import { type Authenticator, addPasskey, createAuthenticator } from '../../../../test/authenticator.ts';
import { type Browser, createBrowser, newEmail, registerUser, type TestUser } from '../../../../test/browser.ts';
import type { TestApp } from '../../../../test/harness.ts';
import { kindsOf, liveSessions, trustBrowser } from '../../../../test/records.ts';
import { type Enrolled, enrol, halfSignIn } from '../../../../test/second-factor.ts';

/** An account that an attacker has registered with someone else's email, and everything the attacker added to it. */
interface Squatted extends TestUser {
  readonly device: Authenticator;
  readonly invitation_id: string;
  /** Undefined while MFA is off. */
  readonly factor: (Enrolled & { readonly mfa_token: string }) | undefined;
}

interface Options {
  readonly email?: string;
  readonly mfa?: boolean;
}

/** Registers as an attacker and adds each kind of credential; MFA only on request, because it locks the victim out. */
export async function squat(app: TestApp, { mfa = false, ...given }: Options = {}): Promise<Squatted> {
  const account = await registerUser(app, given);
  const { browser, user_id, organization_id, password } = account;
  const device = createAuthenticator({ origin: app.deps.config.PUBLIC_BASE_URL });
  const added = await addPasskey(browser, device);
  if (added.status !== 201) throw new Error(`the passkey was answered ${added.status}: ${added.text}`);
  await linkIdentity(app, user_id);
  const invited = await browser.post(`/orgs/${organization_id}/invitations`, { email: newEmail(), role: 'owner' });
  if (invited.status !== 201) throw new Error(`the invitation was answered ${invited.status}: ${invited.text}`);
  await browser.post('/users/me/email', { email: newEmail('attacker'), password });
  await createBrowser(app).post('/auth/password/forgot', { email: account.email });
  const factor = mfa ? await addFactor(app, account) : undefined;
  await trustBrowser(app, user_id);
  return { ...account, device, invitation_id: invited.json.id, factor };
}

async function addFactor(app: TestApp, account: TestUser) {
  const enrolled = await enrol(app, account);
  return { ...enrolled, mfa_token: await halfSignIn(app, account) };
}

export async function linkIdentity({ deps, clock }: TestApp, user_id: string): Promise<string> {
  const id = uuid();
  await deps.db
    .insertInto('identities')
    .values({
      id,
      user_id,
      provider: 'oauth_b',
      issuer: 'https://github.com',
      subject: id,
      email: null,
      linked_at: clock.now(),
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return id;
}

export async function newCode(app: TestApp, email: string): Promise<string> {
  await createBrowser(app).post('/auth/email-otp/request', { email });
  return app.mailbox.takeCode(email);
}

export async function signInByCode(app: TestApp, email: string, browser: Browser = createBrowser(app)) {
  const answer = await browser.post('/auth/email-otp/verify', { email, code: await newCode(app, email) });
  if (answer.status !== 200) throw new Error(`the code was answered ${answer.status}: ${answer.text}`);
  return { browser, answer };
}

/** Counts what the account has that could still sign someone in, or lead to a sign-in. */
export async function leftIn(app: TestApp, user_id: string) {
  const { db } = app.deps;
  const living = async (table: 'passkeys' | 'identities' | 'trusted_browsers') =>
    (await db.selectFrom(table).select('id').where('user_id', '=', user_id).where('revoked_at', 'is', null).execute())
      .length;
  const all = async (table: 'totp_secrets' | 'recovery_codes' | 'mfa_tokens') =>
    (await db.selectFrom(table).select('user_id').where('user_id', '=', user_id).execute()).length;
  const user = await db.selectFrom('users').selectAll().where('id', '=', user_id).executeTakeFirstOrThrow();
  const invitations = await db
    .selectFrom('invitations')
    .select('id')
    .where('inviter_id', '=', user_id)
    .where('closed_at', 'is', null)
    .execute();
  return {
    password: user.password_hash !== null,
    mfa: user.mfa_enabled_at !== null,
    passkeys: await living('passkeys'),
    identities: await living('identities'),
    trusted_browsers: await living('trusted_browsers'),
    totp: await all('totp_secrets'),
    recovery_codes: await all('recovery_codes'),
    mfa_tokens: await all('mfa_tokens'),
    one_time: await kindsOf(app, user_id),
    invitations: invitations.length,
    sessions: (await liveSessions(app, user_id)).length,
  };
}

/** The result of `leftIn`, except for sessions, when everything unproven is gone. */
export const NOTHING_LEFT = {
  password: false,
  mfa: false,
  passkeys: 0,
  identities: 0,
  trusted_browsers: 0,
  totp: 0,
  recovery_codes: 0,
  mfa_tokens: 0,
  one_time: [],
  invitations: 0,
  sessions: 0,
};
