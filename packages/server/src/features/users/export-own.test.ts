import type { AccountExport } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { insertApplicationRows } from '../../../test/application-rows.ts';
import { newEmail, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, setAuthTime, setUser, trustBrowser } from '../../../test/records.ts';
import { colleague, founder, insertMembership } from '../../../test/team.ts';
import { after } from '../../platform/clock.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { invite } from '../invitations/invitation-fixture.ts';

const app = useTestApp();

const exportOf = ({ browser }: TestUser) => browser.post('/users/me/export');
const bytes = () => Buffer.from(randomToken());

interface Personal {
  /** The condition that finds the rows of the user. */
  readonly of: (user: TestUser) => ReturnType<typeof sql>;
  /** Adds a row, unless registration did. */
  readonly fill?: (user: TestUser) => Promise<unknown>;
  /** Whether the export has this row, or the reason why it need not. */
  readonly exported: ((json: AccountExport, row: Row) => unknown) | string;
  /** Expected values of the row after the account was deleted. Undefined: the row must be deleted. */
  readonly deleted?: Row;
}
type Row = Record<string, unknown>;

const byUser = ({ user_id }: TestUser) => sql`user_id = ${user_id}`;
const db = () => app.deps.db;
const hasId = (list: readonly { id: unknown }[], { id }: Row) => list.some((item) => item.id === id);
const NOT_PERSONAL = 'has no rows of a user';
const HOURS = 'deleted within hours, and refers to a person only by a random id or a keyed hash';

/** How the export contains the rows of each table and what deletion leaves. For a new table, decide here. */
const DECISIONS: Readonly<Record<keyof Schema, Personal | string>> = {
  service_accounts: 'belongs to the organization; names its creator only by id, as the audit trail does',
  service_account_roles: NOT_PERSONAL,
  api_keys: NOT_PERSONAL,
  domains: NOT_PERSONAL,
  sso_connections: NOT_PERSONAL,
  sso_connection_roles: NOT_PERSONAL,
  sso_identities: {
    of: byUser,
    fill: async ({ user_id, organization_id }) => {
      const now = app.clock.now();
      const connection = {
        id: uuid(),
        organization_id,
        name: 'Example Corp',
        issuer: 'https://login.example.com',
        client_id: 'gatehouse',
        sealed_secret: null,
        create_members: false,
        default_role: 'member' as const,
        trust_idp_mfa: false,
        created_at: now,
      };
      await db().insertInto('sso_connections').values(connection).execute();
      const link = { id: uuid(), connection_id: connection.id, user_id, subject: uuid(), email: 'ada@example.org' };
      await db()
        .insertInto('sso_identities')
        .values({ ...link, linked_at: now })
        .execute();
    },
    exported: ({ sso_identities }, row) => hasId(sso_identities, row),
  },
  users: {
    of: ({ user_id }) => sql`id = ${user_id}`,
    exported: ({ user }, { id }) => user.id === id,
    // The row is kept, because audit rows of other users refer to the account.
    deleted: { status: 'deleted', password_hash: null, avatar_id: null, mfa_enabled_at: null },
  },
  memberships: {
    of: byUser,
    exported: ({ memberships }, row) =>
      memberships.some((one) => one.organization_id === row.organization_id && one.role === row.role),
    // Like the row of the user, the email is kept, because single sign-on does not add a former member again.
    deleted: { revoked_at: expect.any(String), revoked_email: expect.any(String) },
  },
  sessions: {
    of: byUser,
    exported: ({ sessions }, row) => hasId(sessions, row),
    deleted: { revoked_at: expect.any(String) },
  },
  passkeys: {
    of: byUser,
    fill: ({ user_id }) =>
      db()
        .insertInto('passkeys')
        .values({
          id: uuid(),
          user_id,
          credential_id: bytes(),
          public_key: bytes(),
          sign_count: 0,
          name: 'Key',
          device_type: 'singleDevice',
          backed_up: false,
          transports: ['usb'],
          aaguid: uuid(),
          created_at: app.clock.now(),
          last_used_at: null,
          revoked_at: null,
        })
        .execute(),
    exported: ({ passkeys }, row) => hasId(passkeys, row),
    deleted: { credential_id: null, public_key: null, revoked_at: expect.any(String) },
  },
  identities: {
    of: byUser,
    fill: ({ user_id }) =>
      db()
        .insertInto('identities')
        .values({
          id: uuid(),
          user_id,
          provider: 'oauth_a',
          issuer: 'https://id.example',
          subject: uuid(),
          email: 'ada@example.org',
          linked_at: app.clock.now(),
          last_used_at: null,
          revoked_at: null,
        })
        .execute(),
    exported: ({ identities }, row) => hasId(identities, row),
    deleted: { subject: null, email: null, revoked_at: expect.any(String) },
  },
  trusted_browsers: {
    of: byUser,
    fill: ({ user_id }) => trustBrowser(app, user_id),
    exported: ({ trusted_browsers }, row) => hasId(trusted_browsers, row),
    deleted: { token_hash: null, revoked_at: expect.any(String) },
  },
  invitations: {
    of: ({ user_id, email }) => sql`inviter_id = ${user_id} or email = ${email}`,
    fill: async (user) => {
      await invite(app, user);
      await invite(app, await founder(app), { email: user.email });
    },
    exported: ({ invitations }, row) => hasId(invitations, row),
    // Invitations are kept: they belong to the inviting organization, and are swept 90 days after their end.
    deleted: {},
  },
  audit_events: {
    of: ({ user_id }) => sql`actor_id = ${user_id} and action <> 'user.deleted'`,
    exported: ({ audit_logs }, row) => hasId(audit_logs, row),
    // The audit trail is append-only.
    deleted: {},
  },
  avatars: {
    of: byUser,
    fill: async ({ user_id }) => {
      const id = uuid();
      await db().insertInto('avatars').values({ id, user_id, image: bytes(), created_at: app.clock.now() }).execute();
      await setUser(app, user_id, { avatar_id: id });
    },
    exported: ({ user }, { id }) => user.avatar_url?.includes(id as string),
  },
  totp_secrets: {
    of: byUser,
    fill: async ({ user_id }) => {
      const created_at = app.clock.now();
      const row = { user_id, sealed_secret: 'sealed', created_at, pending_until: after(created_at, 60) };
      await db().insertInto('totp_secrets').values(row).execute();
    },
    exported: 'a secret; user.mfa_enabled says whether it is in use',
  },
  recovery_codes: {
    of: byUser,
    fill: ({ user_id }) =>
      db()
        .insertInto('recovery_codes')
        .values({ user_id, code_hash: bytes(), created_at: app.clock.now(), used_at: null })
        .execute(),
    exported: 'hashes of secrets',
  },
  mfa_tokens: {
    of: byUser,
    fill: ({ user_id }) => {
      const created_at = app.clock.now();
      const row = { jti: uuid(), user_id, created_at, burned_at: null, kept_until: after(created_at, 60) };
      return db().insertInto('mfa_tokens').values(row).execute();
    },
    exported: 'a sign-in in progress, deleted within minutes',
  },
  one_time_tokens: {
    of: ({ user_id }) => sql`subject = ${user_id}`,
    exported: 'a hash of a mailed secret, deleted within a day',
  },
  member_roles: {
    of: byUser,
    fill: async ({ organization_id, user_id }) => {
      const id = uuid();
      const now = app.clock.now();
      const role = {
        id,
        organization_id,
        name: 'Clerk',
        slug: 'clerk',
        permissions: [],
        created_at: now,
        updated_at: now,
      };
      await db().insertInto('roles').values(role).execute();
      await db().insertInto('member_roles').values({ organization_id, user_id, role_id: id }).execute();
    },
    exported: ({ memberships }, { role_id }) => memberships.some(({ roles }) => hasId(roles, { id: role_id })),
  },
  user_logins: {
    of: byUser,
    exported: 'a copy of user.last_login_at',
    deleted: { last_login_at: expect.anything() },
  },
  application_consents: {
    of: byUser,
    fill: (user) =>
      insertApplicationRows(db(), user, { now: app.clock.now(), expires_at: after(app.clock.now(), 3600) }),
    exported: ({ applications }, { application_id }) => hasId(applications, { id: application_id }),
    deleted: { revoked_at: expect.any(String) },
  },
  application_grants: {
    of: byUser,
    exported: ({ applications }, row) => applications.some(({ grants }) => hasId(grants, row)),
    deleted: { ended_at: expect.any(String), refresh_jti: null },
  },
  interactions: 'deleted within minutes, and has nothing but the request of an application',
  applications: NOT_PERSONAL,
  application_keys: NOT_PERSONAL,
  application_secrets: NOT_PERSONAL,
  permissions: NOT_PERSONAL,
  refreshes: HOURS,
  roles: NOT_PERSONAL,
  mails: 'sealed, and not keyed by a person; the recipient has the mail, and the content is deleted when it is sent',
  rate_counters: HOURS,
  revocations: HOURS,
  refresh_uses: HOURS,
  passkey_challenges: HOURS,
  oauth_states: HOURS,
  bus_events: HOURS,
  organizations: NOT_PERSONAL,
  feature_flags: NOT_PERSONAL,
  provider_configs: NOT_PERSONAL,
  foreign_hash_keys: NOT_PERSONAL,
  milestones: NOT_PERSONAL,
  signing_keys: NOT_PERSONAL,
  replicas: 'a process of the service',
  turns: NOT_PERSONAL,
  user_counts: NOT_PERSONAL,
  password_counts: NOT_PERSONAL,
  audit_hours: NOT_PERSONAL,
  audit_mark: NOT_PERSONAL,
  imports: NOT_PERSONAL,
  webhooks: 'of the organization; its audit rows name who created it',
  webhook_secrets: NOT_PERSONAL,
  webhook_spans: NOT_PERSONAL,
  webhook_deliveries: 'copies of audit rows on their way; the export has the rows',
  event_stream: NOT_PERSONAL,
  schema_migrations: NOT_PERSONAL,
};

const PERSONAL = Object.entries(DECISIONS).filter(
  (entry): entry is [keyof Schema, Personal] => typeof entry[1] !== 'string',
);

const rowsOf = async (table: string, { of }: Personal, user: TestUser): Promise<Row[]> => {
  const { rows } = await sql<{ row: Row }>`
    select to_jsonb(found) as row from ${sql.table(table)} as found where ${of(user)}`.execute(db());
  return rows.map(({ row }) => row);
};

async function fullAccount(): Promise<TestUser> {
  const user = await registerUser(app, { display_name: 'Ada' });
  await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
  for (const [, { fill }] of PERSONAL) await fill?.(user);
  return user;
}

describe('every table', () => {
  it('that refers to a user or has an email address is in the export, or has a documented reason not to be', async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = quote_ident(current_schema())::regnamespace
        and (a.attname ~ '(^|_)(user_id|actor_id|inviter_id|created_by|email)$' or exists (
          select from pg_constraint where conrelid = c.oid and contype = 'f' and confrelid = 'users'::regclass))`.execute(
      db(),
    );
    expect(rows.map(({ name }) => name).filter((name) => DECISIONS[name as keyof Schema] === NOT_PERSONAL)).toEqual([]);
  });

  it('with personal data is in the export or has a documented reason not to be, and is cleared when the account is deleted', async () => {
    const user = await fullAccount();
    const { status, json } = await exportOf(user);
    expect(status).toBe(200);
    for (const [table, decision] of PERSONAL) {
      const rows = await rowsOf(table, decision, user);
      expect(rows.length, table).toBeGreaterThan(0);
      const { exported } = decision;
      if (typeof exported === 'string') continue;
      for (const row of rows) expect(exported(json, row), `${table}: ${JSON.stringify(row)}`).toBe(true);
    }
    expect((await user.browser.delete('/users/me', { body: { password: PASSWORD } })).status).toBe(204);
    for (const [table, decision] of PERSONAL) {
      const rows = await rowsOf(table, decision, user);
      if (decision.deleted === undefined) expect(rows, table).toEqual([]);
      for (const row of rows) expect(row, table).toMatchObject(decision.deleted!);
    }
  });
});

describe('POST /users/me/export', () => {
  it('200: an attachment that is not stored by caches, with these records and no secrets; audited', async () => {
    const user = await fullAccount();
    const { headers, json, text } = await exportOf(user);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="account-${app.clock.now().toISOString().slice(0, 10)}.json"`,
      'cache-control': 'no-store',
    });
    expect(Object.keys(json).sort()).toEqual([
      'applications',
      'audit_logs',
      'exported_at',
      'identities',
      'invitations',
      'memberships',
      'passkeys',
      'sessions',
      'sso_identities',
      'trusted_browsers',
      'user',
    ]);
    expect(json.user).toEqual((await user.browser.get('/users/me')).json);
    expect(json.passkeys).toEqual([
      {
        id: expect.any(String),
        name: 'Key',
        created_at: app.clock.now().toISOString(),
        last_used_at: null,
        device_type: 'singleDevice',
        backed_up: false,
        transports: ['usb'],
        aaguid: expect.any(String),
        rp_id: 'localhost',
        usable: true,
        revoked_at: null,
      },
    ]);
    expect(text).not.toMatch(/_hash|token_|public_key|credential_id|secret|\$argon2/);
    expect(json.audit_logs[0]).toMatchObject({ action: 'user.exported', actor_id: user.user_id });
    expect(await auditOf(app, { action: 'user.exported', resource_id: user.user_id })).toHaveLength(1);
  });

  it('contains ended records, and no data of other users', async () => {
    const owner = await founder(app);
    const user = await colleague(app, owner);
    const second = await founder(app);
    await insertMembership(app, { ...user, organization_id: second.organization_id });
    await second.browser.delete(`/orgs/${second.organization_id}/members/${user.user_id}`);
    const { json } = await exportOf(user);
    expect(json.memberships).toMatchObject([
      { organization_id: second.organization_id, revoked_at: app.clock.now().toISOString() },
      { organization_id: owner.organization_id, revoked_at: null },
    ]);
    expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual([user.session_id]);
    expect(JSON.stringify(json)).not.toContain(owner.user_id);
  });

  it('lists invitations to an address only once it is verified', async () => {
    const user = await registerUser(app, { email: newEmail('unproven') });
    const { id } = await invite(app, await founder(app), { email: user.email });
    expect((await exportOf(user)).json.invitations).toEqual([]);
    await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
    expect((await exportOf(user)).json.invitations).toMatchObject([{ id, email: user.email, status: 'pending' }]);
  });

  it('has the newest 10,000 audit events, newest first, and all sessions', async () => {
    const user = await founder(app);
    const now = app.clock.now();
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
        resource_id, request_id, metadata, outcome, visibility)
      select gen_random_uuid(), ${now}, ${user.organization_id}, ${user.user_id}, 'user', 'auth.login', 'x', n::text,
        gen_random_uuid(), '{}', 'success', 'full' from generate_series(1, 10200) n`.execute(db());
    await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
        expires_at, access_expires_at, revoked_at)
      select gen_random_uuid(), ${user.user_id}, ${user.organization_id}, 'password', 'aal1', ${now}, ${now}, ${now}, ${now},
        ${now}, case when n % 2 = 0 then ${now}::timestamptz end from generate_series(1, 1300) n`.execute(db());
    const { json } = await exportOf(user);
    expect(json.audit_logs).toHaveLength(10_000);
    expect(json.audit_logs[0].action).toBe('user.exported');
    expect(json.audit_logs[1].resource_id).toBe('10200');
    expect(json.audit_logs.at(-1).resource_id).toBe('202');
    expect(new Set(json.sessions.map(({ id }: { id: string }) => id)).size).toBe(1_301);
  });

  it('requires fresh authentication, checked against the stored session instead of the cached one', async () => {
    const user = await founder(app);
    expect((await exportOf(user)).status).toBe(200);
    await setAuthTime(app, user.session_id, after(app.clock.now(), -901));
    expect(await exportOf(user)).toMatchObject({ status: 401, json: { error: { code: 'mfa_required' } } });
  });

  it('429 for the sixth export of a user in a day', async () => {
    const user = await founder(app);
    for (const status of [200, 200, 200, 200, 200, 429]) expect((await exportOf(user)).status).toBe(status);
    expect(Number((await exportOf(user)).headers['retry-after'])).toBe(86_400);
    expect((await exportOf(await founder(app))).status).toBe(200);
    expect(await auditOf(app, { action: 'user.exported', resource_id: user.user_id })).toHaveLength(5);
  });
});
