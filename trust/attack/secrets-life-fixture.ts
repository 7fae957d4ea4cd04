import { randomBytes } from 'node:crypto';
import { addPasskey, createAuthenticator } from '../../packages/server/test/authenticator.ts';
import { newEmail, type TestUser } from '../../packages/server/test/browser.ts';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import type { FakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { enrol } from '../../packages/server/test/second-factor.ts';
import type { Vault } from './secrets-fixture.ts';

export interface World {
  readonly url: string;
  readonly vault: Vault;
  readonly database: TestDatabase;
  readonly mail: FakeMailApi;
  readonly google: FakeProvider;
  readonly github: FakeProvider;
}

export type Account = Omit<TestUser, 'password'> & { password: string };

/** Requests that must have succeeded for the scenario to be complete. */
export const MILESTONES: readonly string[] = [
  'POST /auth/register 201',
  'POST /auth/login 200',
  'POST /users/me/password 204',
  'POST /auth/password/reset 204',
  'POST /auth/email-otp/verify 200',
  'POST /auth/email/verify 204',
  'POST /users/me/email 204',
  'POST /auth/invitations/accept 200',
  'POST /auth/trusted-browsers 201',
  'POST /auth/mfa/enable 200',
  'POST /auth/mfa/challenge 200',
  'POST /auth/mfa/verify 200',
  'POST /users/me/passkeys/register/complete 201',
  'POST /auth/refresh 200',
  'GET /auth/oauth/oauth_a/callback 200',
  'GET /auth/oauth/oauth_b/callback 200',
  'PUT /admin/integrations/oauth_a 200',
  'PUT /admin/integrations/oauth_d 200',
  'PUT /admin/integrations/email_transport 200',
  'POST /admin/integrations/oauth_d/test 200',
  'POST /admin/orgs 201',
  'GET /audit-logs 200',
];

async function mailed({ mail }: World, email: string, pattern: RegExp): Promise<string> {
  for (let count = 0; ; count = mail.requests.length + 1) {
    await mail.received(count);
    const found = mail.requests
      .filter(({ body }) => body.to?.includes(email))
      .flatMap(({ body }) => pattern.exec(body.text)?.[1] ?? []);
    if (found.length > 0) return found.at(-1)!;
  }
}

const tokenIn = (page: string): RegExp => new RegExp(`/${page}\\?token=([\\w-]+)$`, 'm');

export async function register({ url, vault }: World, name: string): Promise<Account> {
  const browser = vault.browser(url);
  const [email, password] = [newEmail(name), vault.plant(`password of ${name}`)];
  const { json } = await browser.post('/auth/register', { email, password, organization_name: 'Example' });
  const { user_id, organization_id, session_family_id: session_id } = json.user;
  return { browser, email, password, user_id, organization_id, session_id, access_token: json.access_token };
}

export async function livePasswords(world: World, account: Account): Promise<void> {
  const { url, vault } = world;
  const guest = vault.browser(url);
  const { email } = account;
  const wrong = (name: string) => vault.plant(`password: ${name}`);
  const short = (name: string) => vault.keep(`password: ${name}`, randomBytes(5).toString('hex'), { guessable: true });
  await guest.post('/auth/login', { email, password: wrong('wrong') });
  await guest.post('/auth/login', { email: newEmail(), password: wrong('of nobody') });
  await guest.post('/auth/login', { email: wrong('typed as email'), password: 'x' });
  await guest.post('/auth/login', { email: `${wrong('typed before the email')} ${email}`, password: 'x' });
  await guest.post('/auth/login', { email, pasword: wrong('misspelt') });
  await guest.post('/auth/login', { email, password: [wrong('in a list')] });
  await guest.post('/auth/login', { email, password: `${wrong('with NUL')}\0` });
  await guest.post('/auth/login', { email, password: `${wrong('too long')}${'x'.repeat(5000)}` });
  await guest.post('/auth/login', `{"email":"${email}","password":"${wrong('in JSON that does not parse')}"`);
  await guest.post('/auth/login', `{"email":"${email}","password":"${wrong('in JSON with a bad letter')}\u0007"}`);
  await guest.post(`/auth/login?password=${wrong('in the query')}`, { email, password: 'x' });
  await guest.post('/auth/login', undefined, {
    body: `email=${email}&password=${wrong('as a form')}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await guest.get(`/auth/login/${wrong('in the path')}`);
  await guest.get('/auth/session', { headers: { authorization: `Basic ${btoa(`${email}:${wrong('as Basic')}`)}` } });
  await guest.post('/auth/register', {
    email,
    password: wrong('of a second registration'),
    organization_name: 'Example',
  });
  await guest.post('/auth/register', {
    email: newEmail(),
    password: short('refused'),
    organization_name: 'x',
  });
  const next = wrong('next');
  await account.browser.post('/users/me/password', {
    current_password: wrong('not the current one'),
    new_password: next,
  });
  await account.browser.post('/users/me/password', {
    current_password: account.password,
    new_password: short('short'),
  });
  await account.browser.post('/users/me/password', { current_password: account.password, new_password: next });
  await guest.post('/auth/password/forgot', { email });
  const token = vault.keep('reset token', await mailed(world, email, tokenIn('reset-password')));
  const last = wrong('after the reset');
  await guest.post('/auth/password/reset', {
    token: vault.plant('reset token that is wrong'),
    new_password: wrong('for nobody'),
  });
  await guest.post('/auth/password/reset', { token, new_password: 'short' });
  await guest.post('/auth/password/reset', { token, new_password: last });
  await guest.post('/auth/password/reset', { token, new_password: last });
  account.password = last;
  await account.browser.post('/auth/login', { email, password: last });
}

export async function liveMails(world: World, account: Account): Promise<void> {
  const { url, vault, mail } = world;
  const guest = vault.browser(url);
  const { email, browser } = account;
  await guest.post('/auth/email-otp/request', { email });
  const code = vault.keep('emailed code', await mailed(world, email, /^ {4}(\d{6})$/m), { short: true });
  await guest.post('/auth/email-otp/verify', { email, code: vault.plant('emailed code that is none') });
  await guest.post('/auth/email-otp/verify', { email, code: code === '000001' ? '000002' : '000001' });
  await guest.post(`/auth/email-otp/verify?code=${code}`, { email, code });
  const token = vault.keep('verification token', await mailed(world, email, tokenIn('verify-email')));
  await guest.post('/auth/email/verify', { token: vault.plant('verification token that is wrong') });
  await guest.post('/auth/email/verify/preview', { token });
  await guest.post('/auth/email/verify', { token });
  const moved = newEmail('moved');
  await browser.post('/users/me/email', {
    email: moved,
    password: vault.plant('password: wrong at the change of email'),
  });
  await browser.post('/users/me/email', { email: moved, password: account.password });
  vault.keep('token of a change of email', await mailed(world, moved, tokenIn('verify-email')));
  // The mail API quotes the request in its error.
  mail.mode = 422;
  const invited = newEmail('invited');
  const path = `/orgs/${account.organization_id}/invitations`;
  await browser.post(path, { email: newEmail('unlucky'), role: 'member' });
  await mail.received(mail.requests.length + 1);
  mail.mode = 'ok';
  await browser.post(path, { email: invited, role: 'member' });
  const invitation = vault.keep('invitation token', await mailed(world, invited, tokenIn('accept-invitation')));
  await guest.get(`/auth/invitations/preview?token=${vault.plant('invitation token that is wrong')}`);
  await guest.get(`/auth/invitations/preview?token=${invitation}`);
  const newUser = { token: invitation, password: vault.plant('password of the invited') };
  await vault.browser(url).post('/auth/invitations/accept', newUser);
  await browser.post('/auth/trusted-browsers', {});
}

export async function liveFactors({ url, vault }: World, account: Account): Promise<void> {
  const { browser, email } = account;
  await browser.post('/auth/mfa/setup');
  await browser.post('/auth/mfa/enable', { code: vault.plant('TOTP code that is none') });
  const { app, recovery_codes } = await enrol(url, account);
  const [first, second] = recovery_codes;
  const pending = vault.browser(url);
  const { mfa_token } = (await pending.post('/auth/login', { email, password: account.password })).json;
  await pending.post('/auth/mfa/challenge', { mfa_token, code: vault.plant('TOTP code in a challenge') });
  await pending.post('/auth/mfa/challenge', { mfa_token, recovery_code: vault.plant('recovery code that is wrong') });
  await pending.post('/auth/mfa/challenge', { mfa_token: vault.plant('MFA token that is wrong'), code: '000000' });
  await pending.post('/auth/mfa/challenge', { mfa_token, recovery_code: first });
  await browser.post('/auth/mfa/verify', { recovery_code: vault.plant('recovery code at verify') });
  await browser.post('/auth/mfa/verify', { recovery_code: second });
  await browser.post('/auth/mfa/verify', { code: vault.keep('TOTP code', app.code(), { short: true }) });
  await browser.post('/auth/mfa/recovery-codes', { password: vault.plant('password: wrong at recovery codes') });
  const device = createAuthenticator();
  await addPasskey(browser, device);
  const { publicKey } = (await pending.post('/auth/passkey/login/begin', { email })).json;
  vault.keep('passkey challenge', publicKey.challenge);
  await pending.post('/auth/passkey/login/complete', { credential: { id: vault.plant('credential that is none') } });
  const given = device.get(publicKey, { signature: (right) => right.subarray(1) });
  await pending.post('/auth/passkey/login/complete', { credential: given });
  const used = browser.jar.get('service_rt')!;
  await browser.post('/auth/refresh');
  await vault.browser(url, new Map([['service_rt', used]])).post('/auth/refresh');
}
