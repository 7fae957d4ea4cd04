import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { arrive, begin, newUser } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { newEmail } from '../../packages/server/test/browser.ts';
import { setUser } from '../../packages/server/test/records.ts';
import { enrol } from '../../packages/server/test/second-factor.ts';
import type { Vault } from './secrets-fixture.ts';
import type { Account, World } from './secrets-life-fixture.ts';

const JSON_WANTED = { headers: { accept: 'application/json' } };

export async function liveThirdParties({ url, vault, google, github }: World): Promise<void> {
  for (const fake of [google, github]) {
    newUser(fake);
    vault.keep(`client secret of ${fake.provider}`, fake.settings.secret);
    for (const fault of [undefined, 'error', 500, 'broken_json', 'not_object'] as const) {
      fake.fault = fault && { at: 'token', how: fault };
      const browser = vault.browser(url);
      const path = await arrive(browser, fake, await begin(browser, fake.provider));
      const query = new URLSearchParams(path.split('?')[1]);
      vault.keep('code of a provider', query.get('code')!);
      vault.keep('state', query.get('state')!);
      await browser.get(path, JSON_WANTED);
      await browser.get(path, JSON_WANTED);
    }
    fake.fault = undefined;
  }
  google.claims = { canary: vault.plant('claim in an id_token') };
  for (const fault of [undefined, 'nonce', 'foreign_key', 'garbage', 'expired'] as const) {
    google.token_fault = fault;
    const browser = vault.browser(url);
    await browser.get(await arrive(browser, google, await begin(browser, 'oauth_a')), JSON_WANTED);
  }
  for (const { headers, form } of github.requests) {
    if (headers.authorization) vault.keep('access token of a provider', headers.authorization.split(' ').at(-1)!);
    if (form?.code_verifier) vault.keep('PKCE verifier', form.code_verifier);
  }
  const browser = vault.browser(url);
  await begin(browser, 'oauth_a');
  const odd = {
    code: 'code made up',
    state: 'state made up',
    error: 'error of a provider',
    error_description: 'description',
  };
  for (const [name, what] of Object.entries(odd)) {
    await browser.get(`/auth/oauth/oauth_a/callback?${name}=${vault.plant(what)}`);
    await browser.get(`/auth/oauth/oauth_a/callback?state=x&${name}=${vault.plant(what)}`, JSON_WANTED);
  }
}

export async function liveAdministration({ url, vault, database }: World, admin: Account): Promise<void> {
  await setUser(database, admin.user_id, { platform_role: 'owner' });
  const { browser } = admin;
  await enrol(url, admin);
  const put = (provider: string, body: unknown) => browser.send('PUT', `/admin/integrations/${provider}`, { body });
  const client = { enabled: false, public_config: { client_id: 'client' } };
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  await put('oauth_a', { ...client, secret: vault.plant('provider secret') });
  await put('oauth_b', { ...client, secret: vault.plant('provider secret with a word more'), clear_secret: true });
  await put('oauth_b', { ...client, secrt: vault.plant('provider secret, misspelt') });
  await put('oauth_e', { ...client, secret: [vault.plant('provider secret in a list')] });
  await put(vault.plant('provider secret as provider'), client);
  await put('email_transport', { enabled: false, public_config: { from: vault.plant('provider secret as from') } });
  await put('email_transport', { enabled: false, public_config: {}, secret: vault.plant('mail key', 're_canary') });
  // Notices of these changes are queued with the sealed key of the transport until they are sent.
  for (const name of ['active mail key', 'mail key that replaces it']) {
    const public_config = { from: 'id@example.com' };
    await put('email_transport', { enabled: true, public_config, secret: vault.plant(name, 're_canary') });
  }
  await put('email_transport', { enabled: false, public_config: {}, clear_secret: true });
  vault.keep('private key of a provider', String(key).split('\n')[1]!);
  await put('oauth_d', { ...client, secret: key });
  for (const provider of ['oauth_a', 'oauth_d', 'email_transport'])
    await browser.post(`/admin/integrations/${provider}/test`);
  const organization = { organization_name: 'Made', owner_email: newEmail() };
  for (const name of ['made', 'made again'])
    await browser.post('/admin/orgs', {
      ...organization,
      owner_password: vault.plant(`owner password of what is ${name}`),
    });
  for (const path of READS(admin)) await browser.get(path);
}

const READS = ({ organization_id, user_id }: Account): string[] => [
  '/auth/session',
  '/auth/sessions',
  '/auth/mfa/status',
  '/auth/trusted-browsers',
  '/users/me',
  '/users/me/passkeys',
  '/users/me/identities',
  `/orgs/${organization_id}/members`,
  `/orgs/${organization_id}/invitations`,
  `/users/${user_id}`,
  '/admin/users',
  '/admin/orgs',
  '/admin/integrations',
  '/admin/overview',
  '/admin/feature-flags',
  '/audit-logs?page_size=100',
];

/** Sends tokens in wrong places, and causes failing statements: PostgreSQL quotes the row in its error. */
export async function liveAccidents({ url, vault, database }: World, user: Account): Promise<void> {
  const guest = vault.browser(url);
  const shown = (header: string, value: string) => guest.get('/auth/session', { headers: { [header]: value } });
  await shown('authorization', `Bearer ${vault.plant('Bearer')}`);
  await shown('cookie', `service_at=${vault.plant('access cookie')}; service_csrf=${vault.plant('CSRF cookie')}`);
  await shown('x-service-csrf', vault.plant('CSRF header'));
  await shown('x-request-id', vault.plant('request id'));
  await guest.get(`/auth/session?access_token=${vault.plant('access token in the query')}`);
  await guest.get(`/nothing/${vault.plant('token in a path')}`);
  await user.browser.delete(`/auth/sessions/${vault.plant('token as an id')}`);
  await guest.post('/auth/refresh', undefined, {
    headers: { cookie: `service_rt=${vault.plant('refresh cookie')}` },
  });
  const { email } = user;
  const token = vault.plant('token when the database fails');
  const failing: [string, () => Promise<unknown>][] = [
    ['users', () => guest.post('/auth/register', registration(vault, 'at users'))],
    ['sessions', () => guest.post('/auth/login', { email, password: user.password })],
    ['one_time_tokens', () => guest.post('/auth/password/forgot', { email })],
    ['mails', () => guest.post('/auth/email-otp/request', { email })],
    ['audit_events', () => guest.post('/auth/register', registration(vault, 'at audit_events'))],
    ['trusted_browsers', () => user.browser.post('/auth/trusted-browsers', {})],
  ];
  for (const [table, ask] of failing) {
    await sql`alter table ${sql.table(table)} add constraint stumble check (false) not valid`.execute(database.db);
    await ask();
    await sql`alter table ${sql.table(table)} drop constraint stumble`.execute(database.db);
  }
  await database.db.schema.alterTable('one_time_tokens').renameTo('gone').execute();
  await guest.post('/auth/password/reset', { token, new_password: vault.plant('password when the database fails') });
  await guest.post('/auth/email/verify', { token });
  await guest.post('/auth/email-otp/verify', { email, code: vault.plant('code when the database fails') });
  await database.db.schema.alterTable('gone').renameTo('one_time_tokens').execute();
}

const registration = (vault: Vault, where: string) => ({
  email: newEmail(),
  password: vault.plant(`password that stumbled ${where}`),
  organization_name: 'Example',
});
