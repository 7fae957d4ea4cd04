import { sql } from 'kysely';
import { showProgress } from '../packages/server/src/cli/progress.ts';
import type { Db } from '../packages/server/src/platform/db/connect.ts';

export interface Crowd {
  readonly organizations: number;
  readonly users: number;
  readonly audit: number;
}

const BATCH = 50_000;
/** Who has done a thousandth of everything, for a list of one actor. */
export const BUSY = '0190ffff-ffff-7fff-bfff-ffffffffffff';
const SPAN = `interval '80 days'`;

/** Adds rows until there are so many: organizations with their owners, users, and an audit trail of 80 days. */
export async function fill(db: Db, from: Crowd, to: Crowd): Promise<void> {
  // Of the one connection there is: a batch takes long where others keep the machine busy.
  await sql`set statement_timeout = 0`.execute(db);
  for (const back of [0, 1, 2, 3]) {
    await sql`select ensure_audit_month(now() - ${sql.lit(`${back} months`)}::interval)`.execute(db);
  }
  await inBatches('organizations', from.organizations, to.organizations, (first, last) =>
    organizations(db, first, last),
  );
  await inBatches('users', from.users, to.users, (first, last) => users(db, first, last));
  await inBatches('audit rows', from.audit, to.audit, (first, last) => audit(db, first, last, to.users));
  for (const table of ['organizations', 'users', 'memberships', 'audit_events']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  }
}

async function inBatches(
  label: string,
  from: number,
  to: number,
  insert: (first: number, last: number) => Promise<unknown>,
): Promise<void> {
  const progress = showProgress(`  ${label}`.padEnd(18), to - from);
  for (let first = from + 1; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    await insert(first, last);
    progress.add(last - first + 1);
  }
  progress.done();
}

/** A UUID v7 of a moment, unlike any other of the same kind: `kind` is one hexadecimal digit. */
const idOf = (kind: string, moment: string) =>
  sql.raw(`(with t as (select lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') as h)
    select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7${kind}00-8000-' || lpad(to_hex(n), 12, '0'))::uuid from t)`);

const MOMENT = `(timestamptz '2026-01-01' + n * interval '20 seconds')`;

const organizations = (db: Db, first: number, last: number) =>
  sql`insert into organizations (id, name, slug, created_at)
    select ${idOf('a', MOMENT)}, 'Organization ' || n || ' of ' || md5(n::text), 'org-' || n, ${sql.raw(MOMENT)}
    from generate_series(${first}::int, ${last}::int) n`.execute(db);

const users = (db: Db, first: number, last: number) =>
  sql`insert into users (id, email, display_name, status, created_at, updated_at)
    select ${idOf('b', MOMENT)}, 'person-' || n || '@' || substr(md5((n % 5000)::text), 1, 8) || '.example.com',
      'Person ' || substr(md5(n::text), 1, 10), case when n % 50 = 0 then 'disabled' else 'active' end,
      ${sql.raw(MOMENT)}, ${sql.raw(MOMENT)}
    from generate_series(${first}::int, ${last}::int) n`.execute(db);

/** In the order of time, as a trail is; the newest a minute ago. */
const audit = (db: Db, first: number, last: number, people: number) =>
  sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
      resource_id, ip_address, user_agent, request_id, metadata, outcome)
    select gen_random_uuid(), ${sql.raw(`now() - ${SPAN} + n * (${SPAN} / 10000000.0)`)} - interval '1 minute',
      gen_random_uuid(),
      case when n % 1000 = 0 then ${BUSY}::uuid
        else ('0190b000-0000-7000-8000-' || lpad(to_hex((n * 7919::bigint) % ${people}::int), 12, '0'))::uuid end,
      'user',
      (array['auth.login', 'auth.login', 'auth.login', 'auth.login', 'auth.login', 'auth.logout', 'auth.logout',
        'auth.mfa.challenge.succeeded', 'auth.passkey.login', 'user.updated'])[1 + n % 10],
      'user', 'x' || n, '203.0.113.' || n % 250, 'Mozilla/5.0 (bench)', gen_random_uuid(), '{"method": "password"}', 'success'
    from generate_series(${first}::bigint, ${last}::bigint) n`.execute(db);
