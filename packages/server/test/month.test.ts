import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../src/platform/db/tables.ts';
import { useTestApp } from './harness.ts';
import { liveADay } from './month.ts';
import { type Enrolled, enrolNew } from './second-factor.ts';

const DAY_SECONDS = 86_400;
/** Shorter than the default SESSION_MAX_AGE, so that fewer days have to be simulated. */
const MAX_AGE_DAYS = 20;

const growth = Object.entries(TABLES).flatMap(([name, table]) =>
  typeof table.growth === 'string' ? [] : [{ name, ...table.growth }],
);

/**
 * `days`: for how many whole days rows are kept after the day that created them. Rows that live for hours are gone a
 * day later. `where`: the rows that expire; of the other rows there are one or a few per user.
 */
const BOUNDED = growth.flatMap((table) =>
  'maxRows' in table ? [] : [{ ...table, days: table.keptDays + (table.after ? MAX_AGE_DAYS : 0) }],
);

/** Tables whose rows are merged into one row of each kind. */
const MERGED = growth.flatMap((table) => ('maxRows' in table ? [table] : []));

/** A month longer than the longest retention. */
const DAYS = Math.max(...BOUNDED.map(({ days }) => days)) + 30;
/** One day in ten is simulated, to save time. The bounds are counted in these steps. */
const STEP_DAYS = 10;
const keptSteps = (days: number): number => Math.ceil(days / STEP_DAYS);

const app = useTestApp({
  environment: { SESSION_MAX_AGE: `${MAX_AGE_DAYS}d`, REFRESH_TOKEN_TTL: '10d', LOG_LEVEL: 'warn' },
});
let enrolled: Enrolled;
beforeAll(async () => {
  enrolled = await enrolNew(app);
});

async function count(): Promise<Record<string, number>> {
  const parts = growth.map((table) => {
    const where = ('where' in table && table.where) || 'true';
    return sql`select ${sql.lit(table.name)} as name, count(*) as count from ${sql.table(table.name)} where ${sql.raw(where)}`;
  });
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(parts, sql` union all `)}`.execute(
    app.deps.db,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

describe('rows that accumulate', () => {
  it('every table is described in TABLES', async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      order by 1`.execute(app.deps.db);
    expect(Object.keys(TABLES).sort()).toEqual(rows.map(({ name }) => name));
  });

  it(`stay within their bounds when the same day is repeated for ${DAYS} days`, async () => {
    const rise: Record<string, number> = {};
    const all: Record<string, number> = {};
    let before = await count();
    for (let day = 0; day < DAYS; day += STEP_DAYS) {
      await liveADay(app, enrolled);
      const after = await count();
      for (const name of Object.keys(after)) {
        const more = after[name]! - before[name]!;
        rise[name] = Math.max(rise[name] ?? 0, more);
        all[name] = (all[name] ?? 0) + more;
      }
      app.clock.advance(STEP_DAYS * DAY_SECONDS + 1);
      await app.sweeper.pass();
      before = await count();
      const over = BOUNDED.filter(({ name, days }) => before[name]! > keptSteps(days) * rise[name]!);
      expect({ day, over: over.map(({ name }) => ({ name, rows: before[name] })) }).toEqual({ day, over: [] });
      for (const { name, maxRows } of MERGED) expect(before[name], name).toBeLessThanOrEqual(maxRows);
    }
    // Without sweeps every table would exceed its bound.
    const idle = BOUNDED.filter(({ name, days }) => !(all[name]! > keptSteps(days) * rise[name]!));
    expect(idle.map(({ name }) => name)).toEqual([]);
    expect(app.logs.filter(({ task }) => task !== undefined)).toEqual([]);
    // The partition of each month was created before the month began, so the default partition has no recent rows.
    const { rows } = await sql<{ strays: number }>`select count(*) as strays from audit_events_rest
        where "timestamp" > ${app.clock.now()}::timestamptz - interval '60 days'`.execute(app.deps.db);
    expect(rows[0]!.strays).toBe(0);
  });
});
