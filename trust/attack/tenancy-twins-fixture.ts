import { sql } from 'kysely';
import { sampleOf } from '../../packages/server/src/features/api-reference/sample.ts';
import { hashCode } from '../../packages/server/src/features/email-otp/code.ts';
import { insertKey } from '../../packages/server/src/features/machines/machines-fixture.ts';
import { insertRole } from '../../packages/server/src/features/roles/roles-fixture.ts';
import { addWebhook } from '../../packages/server/src/features/webhooks/webhook-fixture.ts';
import { createCsrfToken } from '../../packages/server/src/http/csrf.ts';
import type { JsonSchema } from '../../packages/server/src/http/openapi-document.ts';
import type { Route } from '../../packages/server/src/http/route.ts';
import { hashToken } from '../../packages/server/src/platform/crypto/tokens.ts';
import { insertApplicationRows } from '../../packages/server/test/application-rows.ts';
import {
  addPasskey,
  beginAdding,
  beginSigningIn,
  createAuthenticator,
} from '../../packages/server/test/authenticator.ts';
import { createBrowser, newEmail, PASSWORD } from '../../packages/server/test/browser.ts';
import { insertSession } from '../../packages/server/test/harness.ts';
import { knowInvitation, knowToken } from '../../packages/server/test/records.ts';
import { createAuthenticatorApp, enrol, halfSignIn } from '../../packages/server/test/second-factor.ts';
import { insertConnection } from '../../packages/server/test/sso-fixture.ts';
import { listQuietTables } from '../tables-fixture.ts';
import { insertUser, type Tenants } from './tenancy-fixture.ts';

/** A valid request of a new user, and whose rows it could change. */
export interface Twin {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly token?: string | undefined;
  /** Instead of the token: the cookies of a browser, with its CSRF value. */
  readonly headers?: Record<string, string>;
  /** Ids of users and organizations, and email addresses. */
  readonly about: readonly string[];
}

type Operation = (tenants: Tenants, url: string) => Promise<Twin>;

const ME = '/users/me';

async function insertCaller({ localApp }: Tenants, options: Parameters<typeof insertSession>[1] = {}) {
  localApp.clock.set(new Date());
  const session = await insertSession(localApp, options);
  const { user_id, organization_id, session_id, access_token: token, email } = session;
  return { user_id, organization_id, session_id, token, email, about: [user_id, organization_id] };
}

async function withApplication(tenants: Tenants) {
  const user = await insertCaller(tenants);
  const now = new Date();
  const expires_at = new Date(now.getTime() + 600_000);
  const rows = await insertApplicationRows(tenants.localApp.deps.db, user, { now, expires_at });
  return { ...user, ...rows };
}

const operator = (tenants: Tenants, platform_role: 'admin' | 'owner' = 'admin') =>
  insertCaller(tenants, { platform_role, aal: 'aal2', mfa_verified_at: new Date() });

async function withMachine(tenants: Tenants) {
  const { organization_id, user_id: created_by, token, about } = await insertCaller(tenants);
  const made = await insertKey(tenants.localApp, { organization_id, created_by, permissions: [], scopes: null });
  const { account_id, key_id } = made;
  const path = `/orgs/${organization_id}/service-accounts/${account_id}`;
  return { path, key_id, token, about: [...about, account_id] };
}

async function toVerify(tenants: Tenants, url: string, path: string): Promise<Twin> {
  const { user_id, about } = await insertCaller(tenants).then(async (user) => {
    await createBrowser(url).post('/auth/email/send-verification', undefined, {
      headers: { authorization: `Bearer ${user.token}` },
    });
    return user;
  });
  return { path, body: { token: await knowToken(tenants.replicas.database, user_id, 'email_verification') }, about };
}

async function toReset(tenants: Tenants, url: string, path: string, rest = {}): Promise<Twin> {
  const { email, user_id, about } = await insertCaller(tenants);
  await createBrowser(url).post('/auth/password/forgot', { email });
  return {
    path,
    body: { token: await knowToken(tenants.replicas.database, user_id, 'password_reset'), ...rest },
    about,
  };
}

/** The default operation: the owner of an organization sends the sample of the schema. */
export const operationOf =
  ({ path, body }: Route): Operation =>
  async (tenants) => {
    const { organization_id, token, about } = await insertCaller(tenants);
    const sample = sampleOf(body as JsonSchema, { requiredOnly: true }) as Record<string, unknown>;
    return { path: path.replace(':org_id', organization_id), token, body: sample, about };
  };

/** Operations that need more than the sample, by their names in the OpenAPI document. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /auth/register': async () => {
    const email = newEmail('twin');
    return { path: '/auth/register', body: { email, password: PASSWORD, organization_name: 'Twin' }, about: [email] };
  },
  'POST /auth/login': async (tenants, url) => {
    const { email, user_id, organization_id } = await insertUser(tenants, url);
    return { path: '/auth/login', body: { email, password: PASSWORD }, about: [user_id, organization_id] };
  },
  'POST /auth/password/forgot': async (tenants) => {
    const { email, about } = await insertCaller(tenants);
    return { path: '/auth/password/forgot', body: { email }, about };
  },
  'POST /auth/password/reset/preview': (tenants, url) => toReset(tenants, url, '/auth/password/reset/preview'),
  'POST /auth/password/reset': (tenants, url) =>
    toReset(tenants, url, '/auth/password/reset', { new_password: PASSWORD }),
  'POST /auth/mfa/enable': async (tenants, url) => {
    const { token, about } = await insertCaller(tenants);
    const headers = { authorization: `Bearer ${token}` };
    const { json } = await createBrowser(url).post('/auth/mfa/setup', undefined, { headers });
    return { path: '/auth/mfa/enable', token, body: { code: createAuthenticatorApp(url, json.secret).code() }, about };
  },
  'POST /auth/mfa/disable': async (tenants, url) => {
    const { user_id, verified_token: token } = await enrol(url, await insertUser(tenants, url));
    return { path: '/auth/mfa/disable', token, body: { password: PASSWORD }, about: [user_id] };
  },
  'POST /auth/mfa/recovery-codes': async (tenants, url) => {
    const { user_id, verified_token: token } = await enrol(url, await insertUser(tenants, url));
    return { path: '/auth/mfa/recovery-codes', token, body: { password: PASSWORD }, about: [user_id] };
  },
  'POST /auth/mfa/verify': async (tenants, url) => {
    const { user_id, verified_token: token, recovery_codes } = await enrol(url, await insertUser(tenants, url));
    return { path: '/auth/mfa/verify', token, body: { recovery_code: recovery_codes[0] }, about: [user_id] };
  },
  'POST /auth/mfa/challenge': async (tenants, url) => {
    const user = await enrol(url, await insertUser(tenants, url));
    const mfa_token = await halfSignIn(url, user);
    const body = { mfa_token, recovery_code: user.recovery_codes[0] };
    return { path: '/auth/mfa/challenge', body, about: [user.user_id] };
  },
  'POST /users/me/passkeys/register/complete': async (tenants, url) => {
    const { browser, user_id, access_token: token } = await insertUser(tenants, url);
    const credential = createAuthenticator().create(await beginAdding(browser));
    return { path: `${ME}/passkeys/register/complete`, token, body: { credential, name: 'Key' }, about: [user_id] };
  },
  'PATCH /users/me/passkeys/{id}': async (tenants, url) => {
    const { browser, user_id, access_token: token } = await insertUser(tenants, url);
    const { id: passkey_id } = (await addPasskey(browser, createAuthenticator())).json;
    return { path: `${ME}/passkeys/${passkey_id}`, token, body: { name: 'Another' }, about: [user_id] };
  },
  'POST /auth/passkey/login/begin': async () => ({
    path: '/auth/passkey/login/begin',
    body: { email: 'nobody@example.com' },
    about: [],
  }),
  'POST /auth/passkey/login/complete': async (tenants, url) => {
    const { browser, user_id, email } = await insertUser(tenants, url);
    const device = createAuthenticator();
    await addPasskey(browser, device);
    const credential = device.get(await beginSigningIn(url, email));
    return { path: '/auth/passkey/login/complete', body: { credential }, about: [user_id] };
  },
  'POST /auth/email-otp/request': async (tenants) => {
    const { email, about } = await insertCaller(tenants);
    return { path: '/auth/email-otp/request', body: { email }, about };
  },
  'POST /auth/email-otp/verify': async (tenants, url) => {
    const { email, user_id, about } = await insertCaller(tenants);
    await createBrowser(url).post('/auth/email-otp/request', { email });
    const code = '123456';
    await tenants.replicas.database.db
      .updateTable('one_time_tokens')
      .set({ token_hash: hashCode(tenants.localApp.deps.keyring, { subject: user_id, email, code }) })
      .where('subject', '=', user_id)
      .where('kind', '=', 'login_code')
      .execute();
    return { path: '/auth/email-otp/verify', body: { email, code }, about };
  },
  'POST /auth/oauth/{provider}/link': async (tenants) => ({
    ...(await insertCaller(tenants)),
    path: '/auth/oauth/oauth_b/link',
    body: { redirect_to: '/' },
  }),
  'POST /auth/email/verify/preview': (tenants, url) => toVerify(tenants, url, '/auth/email/verify/preview'),
  'POST /auth/email/verify': (tenants, url) => toVerify(tenants, url, '/auth/email/verify'),
  'POST /users/me/email': async (tenants, url) => {
    const { user_id, access_token: token } = await insertUser(tenants, url);
    const body = { email: newEmail('other'), password: PASSWORD };
    return { path: `${ME}/email`, token, body, about: [user_id] };
  },
  'POST /auth/organization': async (tenants) => {
    const { token, about, organization_id } = await insertCaller(tenants);
    return { path: '/auth/organization', token, body: { organization_id }, about };
  },
  'POST /users/me/password': async (tenants, url) => {
    const { user_id, access_token: token } = await insertUser(tenants, url);
    const body = { current_password: PASSWORD, new_password: 'another correct horse' };
    return { path: `${ME}/password`, token, body, about: [user_id] };
  },
  'POST /orgs': async (tenants) => {
    const { token, about } = await insertCaller(tenants, { email_verified: true });
    return { path: '/orgs', token, body: { name: 'Twin' }, about };
  },
  'PATCH /orgs/{org_id}/members/{user_id}': async (tenants) => {
    const owner = await insertCaller(tenants);
    const { organization_id, token } = owner;
    const { user_id } = await insertCaller(tenants, { organization_id, role: 'member' });
    const path = `/orgs/${organization_id}/members/${user_id}`;
    return { path, token, body: { role: 'admin' }, about: [...owner.about, user_id] };
  },
  'PUT /orgs/{org_id}/members/{user_id}/roles': async (tenants) => {
    const owner = await insertCaller(tenants);
    const { organization_id, token } = owner;
    const { user_id } = await insertCaller(tenants, { organization_id, role: 'member' });
    const role_id = await insertRole(tenants.localApp, { organization_id });
    const path = `/orgs/${organization_id}/members/${user_id}/roles`;
    return { path, token, body: { role_ids: [role_id] }, about: [...owner.about, user_id] };
  },
  'PATCH /orgs/{org_id}/roles/{id}': async (tenants) => {
    const { organization_id, token, about } = await insertCaller(tenants);
    const path = `/orgs/${organization_id}/roles/${await insertRole(tenants.localApp, { organization_id })}`;
    return { path, token, body: { name: 'Another' }, about };
  },
  'PATCH /orgs/{org_id}/webhooks/{id}': async (tenants) => {
    const { organization_id, user_id, token, about } = await insertCaller(tenants);
    const id = await addWebhook(tenants.localApp, { organization_id, user_id });
    return { path: `/orgs/${organization_id}/webhooks/${id}`, token, body: { description: 'Another' }, about };
  },
  'PATCH /orgs/{org_id}/sso-connections/{id}': async (tenants) => {
    const { organization_id, token, about } = await insertCaller(tenants);
    const id = await insertConnection(tenants.localApp, { organization_id });
    return { path: `/orgs/${organization_id}/sso-connections/${id}`, token, body: { name: 'Another' }, about };
  },
  'POST /admin/webhooks': async (tenants) => {
    const { token, about } = await operator(tenants);
    const body = { url: 'https://example.com/', events: ['none.*'], enabled: false };
    await tenants.replicas.database.db
      .updateTable('webhooks')
      .set({ deleted_at: new Date() })
      .where('organization_id', 'is', null)
      .execute();
    return { path: '/admin/webhooks', token, body, about };
  },
  'PATCH /admin/webhooks/{id}': async (tenants) => {
    const { user_id, token, about } = await operator(tenants);
    const id = await addWebhook(tenants.localApp, { organization_id: null, user_id });
    return { path: `/admin/webhooks/${id}`, token, body: { description: 'Another' }, about };
  },
  'PATCH /orgs/{org_id}/service-accounts/{id}': async (tenants) => {
    const { path, ...twin } = await withMachine(tenants);
    return { ...twin, path, body: { name: 'Another' } };
  },
  'POST /orgs/{org_id}/service-accounts/{id}/keys': async (tenants) => {
    const { path, ...twin } = await withMachine(tenants);
    return { ...twin, path: `${path}/keys`, body: { name: 'Key' } };
  },
  'POST /orgs/{org_id}/service-accounts/{id}/keys/{key_id}/rotate': async (tenants) => {
    const { path, key_id, ...twin } = await withMachine(tenants);
    return { ...twin, path: `${path}/keys/${key_id}/rotate`, body: { overlap_seconds: 60 } };
  },
  'PUT /admin/permissions/{name}': async (tenants) => {
    const { token, about } = await operator(tenants);
    return { path: '/admin/permissions/notes.approve', token, body: { description: 'Approve notes' }, about };
  },
  'POST /admin/roles': async (tenants) => {
    const { token, about } = await operator(tenants);
    return { path: '/admin/roles', token, body: { name: 'Twin' }, about };
  },
  'PATCH /admin/roles/{id}': async (tenants) => {
    const { token, about } = await operator(tenants);
    return { path: `/admin/roles/${await insertRole(tenants.localApp, {})}`, token, body: { name: 'Another' }, about };
  },
  'POST /auth/invitations/accept': async (tenants, url) => {
    const owner = await insertCaller(tenants);
    const email = newEmail('invited');
    const { json } = await createBrowser(url).post(
      `/orgs/${owner.organization_id}/invitations`,
      { email, role: 'member' },
      { headers: { authorization: `Bearer ${owner.token}` } },
    );
    const token = await knowInvitation(tenants.replicas.database, json.id);
    return { path: '/auth/invitations/accept', body: { token, password: PASSWORD }, about: [email, ...owner.about] };
  },
  'POST /admin/orgs': async (tenants) => {
    const { token, about } = await operator(tenants);
    const owner_email = newEmail('owner');
    const body = { organization_name: 'Twin', owner_email, owner_password: PASSWORD };
    return { path: '/admin/orgs', token, body, about: [...about, owner_email] };
  },
  'PATCH /admin/orgs/{id}': async (tenants) => {
    const [{ token }, { organization_id, about }] = [await operator(tenants), await insertCaller(tenants)];
    return { path: `/admin/orgs/${organization_id}`, token, body: { name: 'Another' }, about };
  },
  'PUT /admin/feature-flags': async (tenants) => {
    const [{ token }, { organization_id, about }] = [await operator(tenants), await insertCaller(tenants)];
    const body = { flag_key: 'twin', enabled: true, organization_id };
    return { path: '/admin/feature-flags', token, body, about };
  },
  'PUT /admin/integrations/{provider}': async (tenants) => {
    const { token, about } = await operator(tenants);
    const body = { enabled: false, public_config: { client_id: 'twin' } };
    return { path: '/admin/integrations/oauth_e', token, body, about };
  },
  'POST /admin/applications': async (tenants) => {
    const { token, about } = await operator(tenants);
    const body = { name: 'Twin', kind: 'web', redirect_uris: ['https://twin.example.com/callback'] };
    return { path: '/admin/applications', token, body, about };
  },
  'PATCH /admin/applications/{id}': async (tenants) => {
    const [{ token }, { application_id, about }] = [await operator(tenants), await withApplication(tenants)];
    return { path: `/admin/applications/${application_id}`, token, body: { name: 'Another' }, about };
  },
  'POST /admin/applications/{id}/secrets': async (tenants) => {
    const [{ token }, { application_id, about }] = [await operator(tenants), await withApplication(tenants)];
    return { path: `/admin/applications/${application_id}/secrets`, token, body: {}, about };
  },
  'POST /auth/oauth-interactions/{id}': async (tenants) => {
    const { interaction_id, about, session_id, token } = await withApplication(tenants);
    const { db, keyring } = tenants.localApp.deps;
    const browser = 'A'.repeat(43);
    const request = { redirect_uri: 'https://wiki.example.com/callback', state: null, scopes: ['openid'] };
    const progress = { requested_at: new Date().toISOString(), consented: false, organization_id: null };
    // Uses the oldest application, because the servers cache the list and do not know one that was inserted directly.
    await sql`update interactions set browser_hash = ${hashToken(browser)}, application_id = (
        select id from applications where enabled order by created_at, id limit 1),
      request = ${JSON.stringify({ ...request, progress })}::jsonb where id = ${interaction_id}::uuid`.execute(db);
    const csrf = createCsrfToken(keyring, session_id);
    const cookie = `service_at=${token}; service_csrf=${csrf}; service_interaction=${browser}`;
    const path = `/auth/oauth-interactions/${interaction_id}`;
    return { path, headers: { cookie, 'x-service-csrf': csrf }, body: { decision: 'deny' }, about };
  },
  'PATCH /admin/users/{id}': async (tenants) => {
    const [{ token }, { user_id, about }] = [await operator(tenants), await insertCaller(tenants)];
    return { path: `/admin/users/${user_id}`, token, body: { status: 'disabled' }, about };
  },
  'PUT /admin/users/{id}/platform-role': async (tenants) => {
    const [{ token }, { user_id, about }] = [await operator(tenants, 'owner'), await insertCaller(tenants)];
    return { path: `/admin/users/${user_id}/platform-role`, token, body: { role: 'viewer' }, about };
  },
};

/** Tables that change at any time, or whose values differ between any two requests. */
const LEFT_OUT: ReadonlySet<string> = new Set(['audit_events', 'mails']);

async function idColumns({ replicas: { database } }: Tenants): Promise<Map<string, string[]>> {
  const quiet = (await listQuietTables(database)).filter((table) => !LEFT_OUT.has(table));
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and table_name = any(${quiet}) and (column_name in ('user_id', 'organization_id', 'subject')
      or table_name in ('users', 'organizations') and column_name in ('id', 'email'))`.execute(database.db);
  const columns = new Map<string, string[]>();
  for (const { table, column } of rows) columns.set(table, [...(columns.get(table) ?? []), column]);
  return columns;
}

export async function rowsAbout(tenants: Tenants, about: readonly string[]): Promise<string[]> {
  const { database } = tenants.replicas;
  const known = await sql<{ id: string }>`
    select m.organization_id::text as id from memberships m join users u on u.id = m.user_id where u.email = any(${about})
    union select id::text from users where email = any(${about})`.execute(database.db);
  const all = sql.val([...about, ...known.rows.map(({ id }) => id)]);
  const parts = [...(await idColumns(tenants))].map(([table, columns]) => {
    const conditions = columns.map((column) => sql`one.${sql.ref(column)}::text = any(${all})`);
    return sql`select ${table}::text || ' ' || to_jsonb(one)::text as text from ${sql.table(table)} as one
      where ${sql.join(conditions, sql` or `)}`;
  });
  const { rows } = await sql<{ text: string }>`${sql.join(parts, sql` union all `)}`.execute(database.db);
  return rows.map(({ text }) => text).sort();
}
