import { LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './harness.ts';
import { liveADay } from './month-fixture.ts';
import { type Enrolled, enrolNew } from './second-factor.ts';

const DAY = 86_400;
/** Shorter than by default, so that fewer days show the same. */
const MAX_AGE = 20;
const KEPT = LIMITS.revokedKept / DAY;

/**
 * For how many whole days rows stay after the day that brought them. A day later, what lives for hours is gone. `where`: the rows that
 * end; others of the table are what people have, and there are as many as there are people.
 */
const BOUNDED: Readonly<Record<string, { days: number; where?: string }>> = {
  bus_events: { days: 0 },
  identities: { days: KEPT, where: 'revoked_at is not null' },
  invitations: { days: LIMITS.invitation.lifetime / DAY + KEPT },
  mails: { days: 30 },
  memberships: { days: KEPT, where: 'revoked_at is not null' },
  mfa_tokens: { days: 0 },
  oauth_states: { days: 0 },
  one_time_tokens: { days: 0 },
  passkey_challenges: { days: 0 },
  passkeys: { days: KEPT, where: 'revoked_at is not null' },
  rate_counters: { days: 0 },
  refresh_uses: { days: 0 },
  revocations: { days: 0 },
  sessions: { days: MAX_AGE + KEPT },
  signing_keys: { days: 7, where: 'published_until is not null' },
  trusted_browsers: { days: LIMITS.trustedBrowser / DAY + KEPT },
};

/** Rows that are put together: one for each kind there is. */
const MERGED: Readonly<Record<string, number>> = { password_counts: 2, user_counts: 3 };

/** What is meant to grow, and with what. */
const GROWING: Readonly<Record<string, string>> = {
  audit_events: 'the trail; an operator takes old months out',
  audit_hours: 'with the trail',
  avatars: 'one for each person at most',
  feature_flags: 'by hand',
  foreign_hash_keys: 'with each import from elsewhere',
  imports: 'with each import',
  organizations: 'with the people',
  recovery_codes: 'ten for each person at most',
  totp_secrets: 'one for each person at most',
  users: 'with the people; who was deleted stays known',
};

/** A number of rows that is known beforehand. */
const FIXED: Readonly<Record<string, string>> = {
  audit_mark: 'one',
  milestones: 'one for each thing that happens once',
  provider_configs: 'one for each provider',
  schema_migrations: 'one for each migration',
  turns: 'one for each kind of work',
};

/** Until what is kept longest has come to its end, and a month on. */
const DAYS = Math.max(...Object.values(BOUNDED).map(({ days }) => days)) + 30;
/** One day of so many is lived: it shows the same, and takes less. */
const STEP = 3;
const keptSteps = (days: number): number => Math.ceil(days / STEP);

let app: TestApp;
let enrolled: Enrolled;
beforeAll(async () => {
  app = await startTestApp({
    environment: { SESSION_MAX_AGE: `${MAX_AGE}d`, REFRESH_TOKEN_TTL: '10d', LOG_LEVEL: 'warn' },
  });
  enrolled = await enrolNew(app);
});
afterAll(() => app.close());

async function count(): Promise<Record<string, number>> {
  const parts = [...Object.entries(BOUNDED), ...Object.keys(MERGED).map((name) => [name, {}] as const)].map(
    ([name, { where = 'true' }]: readonly [string, { where?: string }]) =>
      sql`select ${sql.lit(name)} as name, count(*) as count from ${sql.table(name)} where ${sql.raw(where)}`,
  );
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(parts, sql` union all `)}`.execute(
    app.deps.db,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

describe('what the service leaves behind', () => {
  it('every table is thought of', async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      order by 1`.execute(app.deps.db);
    const known = [BOUNDED, MERGED, GROWING, FIXED].flatMap((tables) => Object.keys(tables));
    expect(known.sort()).toEqual(rows.map(({ name }) => name));
  });

  it(`stays within its bounds: the same day again and again for ${DAYS} days`, async () => {
    const rise: Record<string, number> = {};
    const all: Record<string, number> = {};
    let before = await count();
    for (let day = 0; day < DAYS; day += STEP) {
      await liveADay(app, enrolled);
      const after = await count();
      for (const name of Object.keys(after)) {
        const more = after[name]! - before[name]!;
        rise[name] = Math.max(rise[name] ?? 0, more);
        all[name] = (all[name] ?? 0) + more;
      }
      app.clock.advance(STEP * DAY + 1);
      await app.sweeper.pass();
      before = await count();
      const over = Object.entries(BOUNDED).filter(([name, { days }]) => before[name]! > keptSteps(days) * rise[name]!);
      expect({ day, over: over.map(([name]) => ({ name, rows: before[name] })) }).toEqual({ day, over: [] });
      for (const [name, most] of Object.entries(MERGED)) expect(before[name], name).toBeLessThanOrEqual(most);
    }
    // Each of them would be far over it if nothing were swept.
    const idle = Object.entries(BOUNDED).filter(([name, { days }]) => !(all[name]! > keptSteps(days) * rise[name]!));
    expect(idle.map(([name]) => name)).toEqual([]);
    expect(app.logs.filter(({ task }) => task !== undefined)).toEqual([]);
    // Each month's rows lie in its own table: it was made before the month began.
    const { rows } = await sql<{ strays: number }>`select count(*) as strays from audit_events_rest
        where "timestamp" > ${app.clock.now()}::timestamptz - interval '60 days'`.execute(app.deps.db);
    expect(rows[0]!.strays).toBe(0);
  });
});
