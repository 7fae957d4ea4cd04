import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { showProgress } from '../../packages/server/src/cli/support/progress.ts';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';

export interface Crowd {
  readonly organizations: number;
  readonly users: number;
  readonly sessions: number;
  readonly audit: number;
}

interface Filling {
  /** The password hash of all users; unset: no passwords. */
  readonly password_hash?: string;
  /** The start of the first session; the others follow within 20 days. */
  readonly sessions_from?: Date;
}

const BATCH = 50_000;
/** The actor of every thousandth event, for a list by actor. */
export const BUSY = '0190ffff-ffff-7fff-bfff-ffffffffffff';
const SPAN = `interval '80 days'`;

/** Adds rows up to `to`: organizations, users with one membership each, sessions, 80 days of audit events. */
export async function fill(db: Db, from: Crowd, to: Crowd, filling: Filling = {}): Promise<void> {
  // A batch may take longer than the statement timeout on a busy machine. `db` has only one connection, so this setting
  // applies to all statements.
  await sql`set statement_timeout = 0`.execute(db);
  for (const back of [0, 1, 2, 3]) {
    await sql`select ensure_audit_month(now() - ${sql.lit(`${back} months`)}::interval)`.execute(db);
  }
  await inBatches('organizations', from.organizations, to.organizations, (first, last) =>
    organizations(db, first, last),
  );
  await inBatches('users', from.users, to.users, (first, last) => users(db, first, last, to, filling));
  await inBatches('sessions', from.sessions, to.sessions, (first, last) => sessions(db, first, last, to, filling));
  await inBatches('audit rows', from.audit, to.audit, (first, last) => audit(db, first, last, to.users));
  for (const table of ['organizations', 'users', 'memberships', 'sessions', 'audit_events']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  }
}

async function inBatches(
  label: string,
  from: number,
  to: number,
  insert: (first: number, last: number) => Promise<unknown>,
): Promise<void> {
  if (from === to) return;
  const progress = showProgress(`  ${label}`.padEnd(18), to - from);
  for (let first = from + 1; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    await insert(first, last);
    progress.add(last - first + 1);
  }
  progress.done();
}

/** Returns SQL for a UUID v7 of row `n` with the time `moment`. `kind`, a hexadecimal digit, differs between tables. */
const idOf = (kind: string, moment: string) =>
  sql.raw(`(with t as (select lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') as h)
    select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7${kind}00-8000-' || lpad(to_hex(n), 12, '0'))::uuid from t)`);

const MOMENT = `(timestamptz '2026-01-01' + n * interval '20 seconds')`;

const organizations = (db: Db, first: number, last: number) =>
  sql`insert into organizations (id, name, slug, created_at)
    select ${idOf('a', MOMENT)}, 'Organization ' || n || ' of ' || md5(n::text), 'org-' || n, ${sql.raw(MOMENT)}
    from generate_series(${first}::int, ${last}::int) n`.execute(db);

async function users(
  db: Db,
  first: number,
  last: number,
  { organizations }: Crowd,
  { password_hash = null }: { password_hash?: string | null },
) {
  await sql`insert into users (id, email, display_name, status, created_at, updated_at, password_hash, email_verified_at)
    select ${idOf('b', MOMENT)}, 'person-' || n || '@' || substr(md5((n % 5000)::text), 1, 8) || '.example.com',
      'Person ' || substr(md5(n::text), 1, 10), case when n % ${sql.lit(DISABLED_EACH)} = 0 then 'disabled' else 'active' end,
      ${sql.raw(MOMENT)}, ${sql.raw(MOMENT)}, ${password_hash}::text, ${sql.raw(MOMENT)}
    from generate_series(${first}::int, ${last}::int) n`.execute(db);
  // Members join in the order of their numbers, as the list of members shows them.
  await sql`insert into memberships (organization_id, user_id, role, joined_at)
    select (select ${idOf('a', MOMENT)} from (select org as n) as o), ${idOf('b', MOMENT)}, 'member', ${sql.raw(MOMENT)}
    from (select n, 1 + n % ${organizations}::int as org from generate_series(${first}::int, ${last}::int) n) as numbered_users`.execute(
    db,
  );
}

/** Users whose number is a multiple of this are disabled. */
const DISABLED_EACH = 50;

/** User number n, as created by `fill`. */
export function personOf(n: number): { user_id: string; email: string; is_active: boolean } {
  const domain = createHash('md5')
    .update(String(n % 5000))
    .digest('hex')
    .slice(0, 8);
  return {
    user_id: uuidAt(Date.UTC(2026, 0, 1) + n * 20_000, 'b', n),
    email: `person-${n}@${domain}.example.com`,
    is_active: n % DISABLED_EACH !== 0,
  };
}

const uuidAt = (time: number, kind: string, n: number): string => {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${kind}00-8000-${n.toString(16).padStart(12, '0')}`;
};

const SESSIONS_SPAN_MS = 20 * 86_400_000;
/** A prime, so that the sessions of a user are far apart. */
const USER_STRIDE = 7919;

/** Session number n, as created by `fill`; `jti` is the id of its refresh token. */
export function sessionOf(
  n: number,
  { users, sessions }: Crowd,
  from: Date,
): { sid: string; person: number; jti: string } {
  const step = Math.floor(SESSIONS_SPAN_MS / sessions);
  return {
    sid: uuidAt(from.getTime() + n * step, 'c', n),
    person: 1 + ((n * USER_STRIDE) % users),
    jti: `0190d000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
  };
}

/** Active sessions in the order of time, each with an unused refresh token. */
const sessions = (
  db: Db,
  first: number,
  last: number,
  { users, organizations, sessions }: Crowd,
  { sessions_from }: Filling,
) => {
  const step = Math.floor(SESSIONS_SPAN_MS / sessions);
  const begun = sql`to_timestamp((${sessions_from!.getTime()}::bigint + n * ${step}::bigint) / 1000.0)`;
  return sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at, expires_at,
      access_expires_at, ip_address, user_agent, refresh_jti)
    select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7c00-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      (select ${idOf('b', MOMENT)} from (select person as n) as u),
      (select ${idOf('a', MOMENT)} from (select 1 + person % ${organizations}::int as n) as o), 'password', 'aal1', ${begun}, ${begun},
      ${begun}, ${begun} + interval '30 days', ${begun} + interval '15 minutes', '203.0.113.' || n % 250, 'Mozilla/5.0 (bench)',
      ('0190d000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
    from (select n, (1 + (n * ${sql.lit(USER_STRIDE)}) % ${users}::int)::int as person,
        lpad(to_hex(${sessions_from!.getTime()}::bigint + n * ${step}::bigint), 12, '0') as hex
      from generate_series(${first}::bigint, ${last}::bigint) n) as made`.execute(db);
};

/** Audit events in the order of time; the newest is a minute old. */
const audit = (db: Db, first: number, last: number, accounts: number) =>
  sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
      resource_id, ip_address, user_agent, request_id, metadata, outcome)
    select gen_random_uuid(), ${sql.raw(`now() - ${SPAN} + n * (${SPAN} / 10000000.0)`)} - interval '1 minute',
      gen_random_uuid(),
      case when n % 1000 = 0 then ${BUSY}::uuid
        else ('0190b000-0000-7000-8000-' || lpad(to_hex((n * 7919::bigint) % ${accounts}::int), 12, '0'))::uuid end,
      'user',
      (array['auth.login', 'auth.login', 'auth.login', 'auth.login', 'auth.login', 'auth.logout', 'auth.logout',
        'auth.mfa.challenge.succeeded', 'auth.passkey.login', 'user.updated'])[1 + n % 10],
      'user', 'x' || n, '203.0.113.' || n % 250, 'Mozilla/5.0 (bench)', gen_random_uuid(), '{"method": "password"}', 'success'
    from generate_series(${first}::bigint, ${last}::bigint) n`.execute(db);
