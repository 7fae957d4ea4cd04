import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { hashToken, randomToken } from '../../packages/server/src/platform/crypto/tokens.ts';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';
import { beginAdding, createAuthenticator } from '../../packages/server/test/authenticator.ts';
import {
  type Answer,
  bearer,
  claimsOf,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { launchCommand } from '../../packages/server/test/process.ts';
import { challenge, createAuthenticatorApp, enrolNew, halfSignIn } from '../../packages/server/test/second-factor.ts';

export interface Stage {
  readonly url: string;
  readonly db: Db;
  /** A platform owner. */
  readonly owner: TestUser;
  readonly folder: string;
  readonly env: Record<string, string>;
}

interface Act {
  /** Sends the operation. The result is undefined, or the promise rejects, if the operation was not acknowledged. */
  send(): Promise<{ status: number } | undefined>;
  /** Whether the database contains the result. */
  isDone(db: Db): Promise<boolean>;
  /** Kills an operation that does not run in the server. */
  kill?(): void;
}

type Operation = (stage: Stage) => Promise<Act>;

const exists = async (db: Db, query: ReturnType<typeof sql>): Promise<boolean> =>
  (await query.execute(db)).rows.length > 0;

const isAudited = (db: Db, action: string, id: string) =>
  exists(
    db,
    sql`select from audit_events where action = ${action} and outcome = 'success' and (resource_id = ${id} or actor_id::text = ${id})`,
  );

const asOwner = ({ url, owner }: Stage, method: string, path: string, body?: unknown): Promise<Answer> =>
  createBrowser(url).send(method, path, { ...bearer(owner.access_token), ...(body !== undefined && { body }) });

/** Inserts the token of a mailed link, instead of waiting for the mail. */
async function issueLink({ db }: Stage, kind: string, { user_id }: TestUser, email: string): Promise<string> {
  const token = randomToken();
  await sql`insert into one_time_tokens (kind, subject, token_hash, user_id, email, created_at, expires_at)
    values (${kind}, ${user_id}::uuid, ${hashToken(token)}, ${user_id}::uuid, ${email}, now() - interval '1 second', now() + interval '1 hour')
    on conflict (kind, subject) do update set token_hash = excluded.token_hash, email = excluded.email, expires_at = excluded.expires_at`.execute(
    db,
  );
  return token;
}

async function inviteTo(stage: Stage, inviter: TestUser, email: string): Promise<string> {
  const path = `/orgs/${inviter.organization_id}/invitations`;
  const { json } = await inviter.browser.post(path, { email, role: 'member' });
  const token = randomToken();
  await sql`update invitations set token_hash = ${hashToken(token)} where id = ${json.id}::uuid`.execute(stage.db);
  return token;
}

async function joinBy(stage: Stage, owner: TestUser): Promise<string> {
  const token = await inviteTo(stage, owner, newEmail('joiner'));
  const { json } = await createBrowser(stage.url).post('/auth/invitations/accept', { token, password: PASSWORD });
  return json.user.user_id;
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  async register({ url }) {
    const email = newEmail('crash');
    return {
      send: () => createBrowser(url).post('/auth/register', { email, password: PASSWORD, organization_name: 'Crash' }),
      isDone: (db) => exists(db, sql`select from users where email = ${email}`),
    };
  },
  async login({ url }) {
    const { email, user_id } = await registerUser(url);
    return {
      send: () => createBrowser(url).post('/auth/login', { email, password: PASSWORD }),
      isDone: (db) => isAudited(db, 'auth.login', user_id),
    };
  },
  async refresh({ url }) {
    const { browser, session_id } = await registerUser(url);
    const { jti } = claimsOf(browser.jar.get('service_rt')!);
    return {
      send: () => browser.post('/auth/refresh'),
      isDone: (db) =>
        exists(db, sql`select from sessions where id = ${session_id}::uuid and refresh_jti <> ${jti}::uuid`),
    };
  },
  async logout({ url }) {
    const { browser, session_id } = await registerUser(url);
    return { send: () => browser.post('/auth/logout'), isDone: (db) => isAudited(db, 'auth.logout', session_id) };
  },
  async 'password change'({ url }) {
    const { browser, user_id } = await registerUser(url);
    const body = { current_password: PASSWORD, new_password: 'another horse, another battery' };
    return {
      send: () => browser.post('/users/me/password', body),
      isDone: (db) => isAudited(db, 'auth.password.changed', user_id),
    };
  },
  async 'second factor on'({ url }) {
    const { browser, user_id } = await registerUser(url);
    const { secret } = (await browser.post('/auth/mfa/setup')).json;
    const app = createAuthenticatorApp(url, secret);
    return {
      send: () => browser.post('/auth/mfa/enable', { code: app.code() }),
      isDone: (db) => isAudited(db, 'mfa.enabled', user_id),
    };
  },
  async challenge({ url }) {
    const account = await enrolNew(url);
    const mfa_token = await halfSignIn(url, account);
    return {
      send: () => challenge(url, mfa_token, { code: account.app.code() }),
      isDone: (db) => isAudited(db, 'auth.mfa.challenge.succeeded', account.user_id),
    };
  },
  async 'password reset'(stage) {
    const account = await registerUser(stage.url);
    const token = await issueLink(stage, 'password_reset', account, account.email);
    const body = { token, new_password: 'another horse, another battery' };
    return {
      send: () => createBrowser(stage.url).post('/auth/password/reset', body),
      isDone: (db) => isAudited(db, 'auth.password_reset.consumed', account.user_id),
    };
  },
  async 'email change'(stage) {
    const account = await registerUser(stage.url);
    const token = await issueLink(stage, 'email_change', account, newEmail('moved'));
    return {
      send: () => createBrowser(stage.url).post('/auth/email/verify', { token }),
      isDone: (db) => isAudited(db, 'auth.email.changed', account.user_id),
    };
  },
  async invitation({ url }) {
    const { browser, organization_id } = await registerUser(url);
    const email = newEmail('guest');
    return {
      send: () => browser.post(`/orgs/${organization_id}/invitations`, { email, role: 'member' }),
      isDone: (db) => exists(db, sql`select from invitations where email = ${email}`),
    };
  },
  async acceptance(stage) {
    const email = newEmail('guest');
    const token = await inviteTo(stage, await registerUser(stage.url), email);
    return {
      send: () => createBrowser(stage.url).post('/auth/invitations/accept', { token, password: PASSWORD }),
      isDone: (db) => exists(db, sql`select from users where email = ${email}`),
    };
  },
  async 'member removed'(stage) {
    const owner = await registerUser(stage.url);
    const user_id = await joinBy(stage, owner);
    return {
      send: () => owner.browser.delete(`/orgs/${owner.organization_id}/members/${user_id}`),
      isDone: (db) => isAudited(db, 'member.removed', user_id),
    };
  },
  async 'organization created'(stage) {
    const owner_email = newEmail('tenant');
    const body = { organization_name: 'Tenant', owner_email, owner_password: PASSWORD };
    return {
      send: () => asOwner(stage, 'POST', '/admin/orgs', body),
      isDone: (db) => exists(db, sql`select from users where email = ${owner_email}`),
    };
  },
  async 'account disabled'(stage) {
    const { user_id } = await registerUser(stage.url);
    return {
      send: () => asOwner(stage, 'PATCH', `/admin/users/${user_id}`, { status: 'disabled' }),
      isDone: (db) => isAudited(db, 'user.disabled', user_id),
    };
  },
  async 'account deleted'(stage) {
    const { user_id } = await enrolNew(stage.url);
    return {
      send: () => asOwner(stage, 'DELETE', `/admin/users/${user_id}`),
      isDone: (db) => isAudited(db, 'user.deleted', user_id),
    };
  },
  async 'provider written'(stage) {
    const client_id = `client-${randomToken()}`;
    // The request needs a recent second factor. A server reads the new time unless it has cached the session.
    await sql`update sessions set mfa_verified_at = now() where id = ${stage.owner.session_id}::uuid`.execute(stage.db);
    const body = { enabled: true, public_config: { client_id }, secret: 'secret-of-a-provider' };
    return {
      send: () => asOwner(stage, 'PUT', '/admin/integrations/oauth_a', body),
      isDone: (db) => exists(db, sql`select from provider_configs where public_config->>'client_id' = ${client_id}`),
    };
  },
  async 'flag written'(stage) {
    const flag_key = `flag-${newEmail()}`.replaceAll(/[^a-z0-9-]/g, '-');
    return {
      send: () => asOwner(stage, 'PUT', '/admin/feature-flags', { flag_key, enabled: true }),
      isDone: (db) => exists(db, sql`select from feature_flags where flag_key = ${flag_key}`),
    };
  },
  async 'passkey added'({ url }) {
    const { browser, user_id } = await registerUser(url);
    const credential = createAuthenticator().create(await beginAdding(browser));
    return {
      send: () => browser.post('/users/me/passkeys/register/complete', { credential }),
      isDone: (db) => exists(db, sql`select from passkeys where user_id = ${user_id}::uuid`),
    };
  },
  async 'browser trusted'({ url }) {
    const { browser, user_id } = await registerUser(url);
    return {
      send: () => browser.post('/auth/trusted-browsers', {}),
      isDone: (db) => exists(db, sql`select from trusted_browsers where user_id = ${user_id}::uuid`),
    };
  },
  async 'picture stored'({ url }) {
    const { access_token, user_id } = await registerUser(url);
    const { headers } = bearer(access_token);
    const body = new FormData();
    body.set('avatar', new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), 'me.png');
    return {
      send: () => fetch(`${url}/v1/users/me/avatar`, { method: 'POST', headers, body }),
      isDone: (db) => exists(db, sql`select from avatars where user_id = ${user_id}::uuid`),
    };
  },
  async 'trail exported'(stage) {
    // A unique range, which identifies the audit row.
    const from = new Date(Date.now() - 60_000 - Math.floor(Math.random() * 1e8)).toISOString();
    return {
      send: () => asOwner(stage, 'GET', `/admin/audit-export?from=${from}`),
      isDone: (db) =>
        exists(db, sql`select from audit_events where action = 'audit.exported' and metadata->>'from' = ${from}`),
    };
  },
  async import({ folder, env }) {
    const accounts = Array.from({ length: 50 }, () => newEmail('import'));
    const file = join(folder, `${accounts[0]}.ndjson`);
    writeFileSync(file, accounts.map((email) => JSON.stringify({ email })).join('\n'));
    let kill = () => {};
    return {
      async send() {
        const command = launchCommand(['import', '--from', 'auth0', file], { cwd: folder, env });
        kill = () => void command.child.kill('SIGKILL');
        const { code } = await command.finished;
        return code === null ? undefined : { status: code === 0 ? 200 : 500 };
      },
      async isDone(db) {
        const found = await db.selectFrom('users').select('id').where('email', 'in', accounts).execute();
        return found.length === accounts.length;
      },
      kill: () => kill(),
    };
  },
};
