import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchEvents } from '../src/domain/webhooks/deliveries/queries.ts';
import { analyzeFilled } from '../src/platform/db/analyze.ts';
import { insertAdministrator } from './administrator.ts';
import { bearer, createBrowser, newEmail, registerUser } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { plansOf, type Scan } from './plan.ts';
import { founder } from './team.ts';

/** Uses one connection, so that all prepared statements can be inspected. */
async function start(): Promise<{ app: TestApp; database: TestDatabase }> {
  const database = await createTestDatabase({ poolSize: 1 });
  const app = await startTestApp({ database });
  return { app, database };
}

/** Inserts rows without checking foreign keys and without updating the planner statistics. */
async function fill({ db }: TestDatabase, inserts: Readonly<Record<string, string>>, rows: number): Promise<void> {
  await sql`set session_replication_role = replica`.execute(db);
  for (const [table, insert] of Object.entries(inserts)) {
    await sql.raw(`alter table ${table} set (autovacuum_enabled = false)`).execute(db);
    await sql.raw(`insert into ${table} ${insert} from generate_series(1, ${rows}) n`).execute(db);
  }
  await sql`reset session_replication_role`.execute(db);
}

const ID = `gen_random_uuid()`;
const FILLED = {
  organizations: `(id, name, slug, created_at) select ${ID}, 'o', 'filled-' || n, now()`,
  users: `(id, email, status, created_at, updated_at) select ${ID}, 'filled-' || n, 'active', now(), now()`,
  memberships: `(organization_id, user_id, role, joined_at) select ${ID}, ${ID}, 'owner', now()`,
  roles: `(id, name, slug, permissions, created_at, updated_at) select ${ID}, 'r', 'filled-' || n, '{}', now(), now()`,
  member_roles: `(organization_id, user_id, role_id) select ${ID}, ${ID}, ${ID}`,
  sessions: `(id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at, expires_at, access_expires_at, refresh_jti)
    select ${ID}, ${ID}, ${ID}, 'password', 'aal1', now(), now(), now(), now(), now(), ${ID}`,
  rate_counters: `(key, count, resets_at) select sha256(n::text::bytea), 1, now()`,
  refresh_uses: `(jti, used_at) select ${ID}, now()`,
  trusted_browsers: `(id, user_id, token_hash, name, created_at, expires_at) select ${ID}, ${ID}, sha256(n::text::bytea), 'b', now(), now()`,
  one_time_tokens: `(kind, subject, token_hash, created_at, expires_at) select 'login_code', ${ID}, sha256(n::text::bytea), now(), now()`,
};

/** The conditions with which each index finds one row, or the rows of one user. Others cost more in a larger table. */
const KEYS: Readonly<Record<string, RegExp>> = {
  organizations_pkey: /\bid = /,
  users_pkey: /\bid = /,
  users_list_idx: /\bid = /,
  users_email_key: /\bemail = /,
  users_by_email_idx: /\bemail = /,
  memberships_pkey: /organization_id = .*user_id = /,
  memberships_user_idx: /user_id = /,
  roles_pkey: /\bid = /,
  member_roles_pkey: /organization_id = .*user_id = /,
  sessions_pkey: /\bid = /,
  sessions_user_idx: /user_id = /,
  rate_counters_pkey: /\bkey = /,
  refresh_uses_pkey: /\bjti = /,
  trusted_browsers_token_key: /token_hash = /,
  trusted_browsers_user_idx: /user_id = /,
  one_time_tokens_pkey: /subject = /,
  one_time_tokens_hash_key: /token_hash = /,
};

const isOffKey = ({ index, table, node, condition }: Scan): boolean => {
  if (index !== undefined) return index in KEYS ? !KEYS[index]!.test(condition) : isFilled(index);
  return table !== undefined && table in FILLED && node !== 'Bitmap Heap Scan' && node !== 'Tid Scan';
};
const isFilled = (index: string): boolean => Object.keys(FILLED).some((table) => index.startsWith(table));

describe('sign-in, refresh and session checks', () => {
  let app: TestApp;
  let database: TestDatabase;
  beforeAll(async () => {
    ({ app, database } = await start());
    await fill(database, FILLED, 3_000);
    const user = await registerUser(app);
    const { email, password } = user;
    const browser = createBrowser(app);
    await browser.post('/auth/login', { email, password });
    await browser.post('/auth/refresh');
    const others = await Promise.all(Array.from({ length: 20 }, () => registerUser(app)));
    // The first one is executed alone, the others as a batch.
    await Promise.all(others.map((other) => other.browser.post('/auth/refresh')));
    await browser.post('/auth/login', { email, password: 'not the right one' });
    await app.deps.sessions.reload(user.session_id);
    await browser.get('/auth/session', bearer(user.access_token));
    await browser.post('/auth/email-otp/request', { email: newEmail() });
    await user.browser.post('/auth/logout');
    await app.deps.sessions.flush();
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  const plansOfRequests = () => plansOf(database, /sessions|users|rate_counters|one_time_tokens/);

  it('find all rows by key without planner statistics', async () => {
    const scans = await plansOfRequests();
    expect(new Set(scans.map(({ index }) => index))).toContain('sessions_pkey');
    expect(scans.some(({ condition }) => condition.includes('sent.id'))).toBe(true);
    expect(scans.filter(isOffKey)).toEqual([]);
  });

  it('find all rows by key with planner statistics', async () => {
    await analyzeFilled(database.db);
    expect((await plansOfRequests()).filter(isOffKey)).toEqual([]);
  });
});

describe('sorted lists', () => {
  let app: TestApp;
  let database: TestDatabase;
  beforeAll(async () => {
    ({ app, database } = await start());
    // Inserted with triggers enabled, unlike in `fill`: they fill user_logins.
    await sql`insert into users (id, email, status, created_at, updated_at, last_login_at)
      select gen_random_uuid(), 'filled-' || n, 'active', now() - n * interval '1 s', now(), now() - n * interval '1 s'
      from generate_series(1, 5000) n`.execute(database.db);
    await fill(database, { organizations: FILLED.organizations }, 5_000);
    await analyzeFilled(database.db);
    await sql`analyze`.execute(database.db);
    const viewer = await insertAdministrator(app, 'viewer');
    for (const sort of ['created_at', 'email', 'last_login_at', '-created_at', '-email', '-last_login_at']) {
      expect((await viewer.get(`/admin/users?sort=${sort}&page=3`)).status).toBe(200);
    }
    for (const sort of ['created_at', 'name', '-created_at', '-name']) {
      expect((await viewer.get(`/admin/orgs?sort=${sort}&page=3`)).status).toBe(200);
    }
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  it('read each page from an index, in the order of the index', async () => {
    const scans = await plansOf(database, /order by (created_at|email|last_login_at|lower\(name\))/);
    expect(scans.map(({ index }) => index)).toEqual(
      expect.arrayContaining([
        'users_created_idx',
        'users_by_email_idx',
        'user_logins_earliest_idx',
        'user_logins_latest_idx',
        'organizations_created_idx',
        'organizations_by_name_idx',
      ]),
    );
    expect(
      scans.filter(({ node, table }) => node === 'Seq Scan' && (table === 'users' || table === 'user_logins')),
    ).toEqual([]);
  });
});

describe('webhooks', () => {
  let app: TestApp;
  let database: TestDatabase;
  beforeAll(async () => {
    ({ app, database } = await start());
    const owner = await founder(app);
    const path = `/orgs/${owner.organization_id}`;
    const { json } = await owner.browser.post(`${path}/webhooks`, { url: 'http://127.0.0.1:1/', events: ['none.*'] });
    await fill(
      database,
      {
        webhooks: `(id, organization_id, url, description, events, enabled, created_by, created_at)
          select ${ID}, ${ID}, 'u', '', '{none.*}', true, ${ID}, now()`,
        webhook_deliveries: `(id, webhook_id, event_id, event_at, type, status, next_attempt_at, created_at)
          select ${ID}, case when n % 20 = 0 then '${json.id}'::uuid else ${ID} end, ${ID}, now(), 't', case when n % 100 = 0 then 'failed' else 'delivered' end, now(), now()`,
      },
      5_000,
    );
    await sql`insert into webhook_spans (webhook_id) select id from webhooks on conflict do nothing`.execute(
      database.db,
    );
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type,
        resource_id, metadata, outcome, visibility)
      select gen_random_uuid(), now(), gen_random_uuid(), 'user', 'auth.login', 'user', '', '{}', 'success', 'full'
      from generate_series(1, 5000)`.execute(database.db);
    await sql`analyze`.execute(database.db);
    expect((await owner.browser.get(`${path}/webhooks/${json.id}/deliveries?status=failed`)).json.total).toBe(50);
    expect((await owner.browser.get(`${path}/events`)).status).toBe(200);
    await database.db
      .transaction()
      .execute((tx) => matchEvents(tx, { xid: '0', id: 0 }, { settled: '1', old_to: 0 }, 1));
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  it.each([
    [
      'the list and the count of deliveries by status',
      /"webhook_deliveries".*"status" =/s,
      /webhook_deliveries/,
      /webhook_deliveries_status_idx/,
    ],
    [
      'the events of an organization',
      /with next as .*order by xid, id/s,
      /^audit_events/,
      /_(stream|organization_id_xid_id)_idx$/,
    ],
    ['the fan-out: webhooks', /with batch as/, /^webhooks$/, /webhooks_organization_idx/],
    ['the fan-out: spans', /with batch as/, /^webhook_spans$/, /webhook_spans_pkey/],
  ])('%s: rows are found by their index', async (_what, statement, table, index) => {
    const scans = (await plansOf(database, statement)).filter((scan) => scan.table && table.test(scan.table));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter((scan) => !(scan.index && index.test(scan.index)))).toEqual([]);
  });

  it('the fan-out scans its batch once, so that its cost does not grow with the square of the batch', async () => {
    const scans = await plansOf(database, /with batch as/);
    expect(scans.filter(({ node }) => node === 'CTE Scan')).toHaveLength(1);
  });
});

/** Rows for every large table that is swept. One row in a hundred has expired. */
const EXPIRED_AT = `now() - interval '400 days'`;
const MAYBE_EXPIRED_AT = `case when n % 100 = 0 then ${EXPIRED_AT} else timestamptz '2100-01-01' end`;
const SWEPT: Readonly<Record<string, string>> = {
  api_keys: `(id, service_account_id, public_id, secret_hash, sid, name, allowed_ips, allowed_referrers, created_at, revoked_at)
    select ${ID}, ${ID}, n::text, '', ${ID}, 'k', '{}', '{}', now(), ${MAYBE_EXPIRED_AT}`,
  application_consents: `(user_id, application_id, scopes, issued_scopes, granted_at, revoked_at)
    select ${ID}, ${ID}, '{}', '{}', now(), ${MAYBE_EXPIRED_AT}`,
  application_grants: `(id, application_id, user_id, organization_id, session_id, scopes, offline, aal, auth_time, code_hash,
      code_expires_at, created_at, expires_at, ended_at)
    select ${ID}, ${ID}, ${ID}, ${ID}, ${ID}, '{}', false, 'aal1', now(), sha256(n::text::bytea), ${MAYBE_EXPIRED_AT}, now(), now(),
      ${MAYBE_EXPIRED_AT}`,
  application_secrets: `(id, application_id, hash, created_at, revoked_at) select ${ID}, ${ID}, '', now(), ${MAYBE_EXPIRED_AT}`,
  applications: `(id, client_id, name, kind, redirect_uris, post_logout_redirect_uris, scopes, resources, trusted, device_flow,
      enabled, created_at, deleted_at)
    select ${ID}, n::text, 'a', 'web', '{}', '{}', '{}', '{}', false, false, false, now(), ${MAYBE_EXPIRED_AT}`,
  bus_events: `(topic, key, created_at) select 'session', n::text, ${MAYBE_EXPIRED_AT}`,
  domains: `(id, organization_id, domain, token, created_at, removed_at)
    select ${ID}, ${ID}, n::text, 't', now(), ${MAYBE_EXPIRED_AT}`,
  identities: `(id, user_id, provider, issuer, linked_at, revoked_at) select ${ID}, ${ID}, 'oauth_a', 'i', now(), ${MAYBE_EXPIRED_AT}`,
  interactions: `(id, kind, browser_hash, application_id, request, requested_at, expires_at)
    select ${ID}, 'consent', '', ${ID}, '{}', now(), ${MAYBE_EXPIRED_AT}`,
  invitations: `(id, organization_id, email, role, inviter_id, inviter_email, token_hash, created_at, expires_at)
    select ${ID}, ${ID}, n::text, 'member', ${ID}, 'i', sha256(n::text::bytea), now(), ${MAYBE_EXPIRED_AT}`,
  mails: `(id, template, locale, state, next_attempt_at, expires_at, created_at, finished_at)
    select ${ID}, 't', 'en', 'sent', now(), now(), now(), ${MAYBE_EXPIRED_AT}`,
  mfa_tokens: `(jti, user_id, created_at, kept_until) select ${ID}, ${ID}, now(), ${MAYBE_EXPIRED_AT}`,
  oauth_states: `(id, expires_at) select sha256(n::text::bytea), ${MAYBE_EXPIRED_AT}`,
  one_time_tokens: `(kind, subject, token_hash, created_at, expires_at)
    select 'login_code', ${ID}, sha256(n::text::bytea), now(), ${MAYBE_EXPIRED_AT}`,
  passkey_challenges: `(id, expires_at) select sha256(n::text::bytea), ${MAYBE_EXPIRED_AT}`,
  passkeys: `(id, user_id, sign_count, name, device_type, backed_up, transports, aaguid, created_at, revoked_at)
    select ${ID}, ${ID}, 0, 'p', 'singleDevice', false, '{}', ${ID}, now(), ${MAYBE_EXPIRED_AT}`,
  rate_counters: `(key, count, resets_at) select sha256(n::text::bytea), 1, ${MAYBE_EXPIRED_AT}`,
  refresh_uses: `(jti, used_at) select ${ID}, ${MAYBE_EXPIRED_AT}`,
  refreshes: `(key, expires_at) select n::text, ${MAYBE_EXPIRED_AT}`,
  roles: `(id, name, slug, permissions, created_at, updated_at, deleted_at)
    select ${ID}, 'r', n::text, '{}', now(), now(), ${MAYBE_EXPIRED_AT}`,
  revocations: `(sid, revoked_at, expires_at) select ${ID}, now(), ${MAYBE_EXPIRED_AT}`,
  service_accounts: `(id, organization_id, name, created_by, created_at, deleted_at)
    select ${ID}, ${ID}, 'a', ${ID}, now(), ${MAYBE_EXPIRED_AT}`,
  sessions: `(id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at, expires_at, access_expires_at)
    select ${ID}, ${ID}, ${ID}, 'password', 'aal1', now(), now(), now(), ${MAYBE_EXPIRED_AT}, now()`,
  sso_connections: `(id, organization_id, name, issuer, client_id, create_members, default_role, trust_idp_mfa, created_at, deleted_at)
    select ${ID}, ${ID}, 'c', 'i', 'c', false, 'member', false, now(), ${MAYBE_EXPIRED_AT}`,
  trusted_browsers: `(id, user_id, name, created_at, expires_at) select ${ID}, ${ID}, 'b', now(), ${MAYBE_EXPIRED_AT}`,
  webhook_deliveries: `(id, webhook_id, event_id, event_at, type, status, next_attempt_at, created_at)
    select ${ID}, ${ID}, ${ID}, now(), 't', 'delivered', now(), ${MAYBE_EXPIRED_AT}`,
  webhooks: `(id, url, description, events, enabled, created_by, created_at, deleted_at)
    select ${ID}, 'u', '', '{}', false, ${ID}, now(), ${MAYBE_EXPIRED_AT}`,
};

describe('the sweeps', () => {
  let app: TestApp;
  let database: TestDatabase;
  beforeAll(async () => {
    ({ app, database } = await start());
    const { application_grants, ...others } = SWEPT;
    await fill(database, others, 5_000);
    // With fewer rows, the planner may choose a bitmap scan.
    await fill(database, { application_grants: application_grants! }, 20_000);
    await app.sweeper.pass();
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  /** Expects rows to be found in index order and deleted by ctid, without a sequential scan or a sort. */
  async function expectByIndex(): Promise<void> {
    const scans = await plansOf(database, /^\s*delete from/);
    const large = new Set(scans.filter(({ table }) => table && table in SWEPT).map(({ table }) => table));
    expect([...large].sort()).toEqual(Object.keys(SWEPT).sort());
    const wrong = scans.filter(({ statement, node, table, condition }) => {
      // These tables have only a few rows.
      if (/"(signing|application)_keys"/.test(statement)) return false;
      // The index condition selects the codes of one hour, so a bitmap scan and a sort are fine.
      if (/code_used_at is null/.test(statement)) return node === 'Seq Scan';
      return node !== 'Tid Scan' && (node === 'Sort' || (table !== undefined && condition === ''));
    });
    expect(wrong).toEqual([]);
  }

  it('sweeps use an index without planner statistics', expectByIndex);

  it('sweeps use an index with planner statistics', async () => {
    await analyzeFilled(database.db);
    await expectByIndex();
  });

  it('sweeps delete all expired rows', async () => {
    const { rows } = await sql<{ left: number }>`select count(*) as left from refresh_uses
      where used_at < now()`.execute(database.db);
    expect(rows[0]!.left).toBe(0);
  });
});
