import fc from 'fast-check';
import { type Selectable, sql } from 'kysely';
import { beforeAll, expect, it, vi } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import { countAll, type Happening, insertEvents } from '../../domain/audit/counts/trail-fixture.ts';
import type { AuditEvents } from '../../platform/db/schema.ts';
import { createReader, type Reader } from './audit-fixture.ts';

const HOUR = 3_600_000;
/** Spans the boundary of two monthly partitions. */
const START = Date.parse('2029-10-31T18:00:00Z');
const HOURS = 12;

const ACTIONS = ['auth.login', 'auth.logout', 'mfa.verified', 'user.updated'];
const ACTORS = ['01990000-0000-7000-8000-000000000001', '01990000-0000-7000-8000-000000000002', null];

const TENANTS = ['01990000-0000-7000-8000-00000000000a', '01990000-0000-7000-8000-00000000000b'];
const KINDS = ['user', 'session'];
const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });

/** A time on an hour boundary, a millisecond beside one, or anywhere; at most an hour outside the span. */
const moment = fc.oneof(
  fc
    .tuple(fc.integer({ min: -1, max: HOURS + 1 }), fc.constantFrom(-1, 0, 1))
    .map(([hour, beside]) => START + hour * HOUR + beside),
  fc.integer({ min: START - HOUR, max: START + (HOURS + 1) * HOUR }),
);
const happening = fc.record({
  timestamp: moment.map((time) => new Date(time)),
  action: fc.constantFrom(...ACTIONS),
  actor_id: fc.constantFrom(...ACTORS),
  outcome: fc.constantFrom('success', 'success', 'failure'),
  organization_id: fc.constantFrom(...TENANTS),
  resource_type: fc.constantFrom(...KINDS),
});

const OFFSETS = ['Z', '+02:00', '-05:30', '+00:00'] as const;
const written = (time: number, offset: (typeof OFFSETS)[number]): string => {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? ['', '+', '0', '0'];
  const shift = (sign === '+' ? 1 : -1) * (Number(hours) * HOUR + Number(minutes) * 60_000);
  return new Date(time + shift).toISOString().replace('Z', offset);
};
const end = fc.record({ time: moment, offset: fc.constantFrom(...OFFSETS) });
const question = fc.record({
  user_id: fc.option(fc.constantFrom(...ACTORS.filter((actor) => actor !== null)), { nil: undefined }),
  action: fc.option(fc.constantFrom(...ACTIONS, 'no.such'), { nil: undefined }),
  outcome: maybe('success', 'failure'),
  organization_id: maybe(...TENANTS),
  resource_type: maybe(...KINDS),
  from: fc.option(end, { nil: undefined }),
  to: fc.option(end, { nil: undefined }),
  page: fc.integer({ min: 1, max: 12 }),
  page_size: fc.integer({ min: 1, max: 100 }),
});

const app = useTestApp();
let viewer: Reader;
type Row = Pick<Selectable<AuditEvents>, (typeof COLUMNS)[number]>;
const COLUMNS = ['id', 'timestamp', 'action', 'actor_id', 'outcome', 'organization_id', 'resource_type'] as const;
const EXACT = ['action', 'outcome', 'organization_id', 'resource_type'] as const;
let rows: Row[];

beforeAll(async () => {
  const { db } = app.deps;
  viewer = await createReader(app, 'viewer');
  const given = fc.sample(happening, { numRuns: 3_000, seed: 7 }) as Happening[];
  // In the order of ids, counted rows lie between rows that commit later and are not in the stored counts yet.
  const early = await db.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(early);
  const late = await db.startTransaction().execute();
  await insertEvents(late, given.slice(0, 300));
  await insertEvents(early, given.slice(300, 900));
  await insertEvents(late, given.slice(900, 1_500));
  await insertEvents(early, given.slice(1_500, 2_100));
  await insertEvents(late, given.slice(2_100, 2_400));
  await early.commit().execute();
  await untilCounted(1_200);
  await late.commit().execute();
  await insertEvents(db, given.slice(2_400));
  rows = await db.selectFrom('audit_events').select(COLUMNS).orderBy('id', 'desc').execute();
});

/** Any open transaction in the cluster can delay the counts for a moment. */
const untilCounted = (count: number) =>
  vi.waitFor(
    async () => {
      await countAll(app.deps.db);
      const { rows } = await sql<{ kept: number }>`
        select coalesce(sum(count), 0)::int as kept from audit_hours where action = ''`.execute(app.deps.db);
      expect(rows[0]!.kept).toBe(count);
    },
    { timeout: TIMEOUT_MS },
  );

const check = fc.asyncProperty(question, async ({ from, to, page, page_size, ...filter }) => {
  const matching = rows.filter(
    ({ timestamp, actor_id, ...row }) =>
      (filter.user_id === undefined || actor_id === filter.user_id) &&
      EXACT.every((field) => filter[field] === undefined || row[field] === filter[field]) &&
      (from === undefined || timestamp.getTime() >= from.time) &&
      (to === undefined || timestamp.getTime() <= to.time),
  );
  const answer = await viewer.list({
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(from && { from: written(from.time, from.offset) }),
    ...(to && { to: written(to.time, to.offset) }),
    page,
    page_size,
  });
  expect(answer.status).toBe(200);
  const { items, total } = answer.json;
  expect(total).toBe(matching.length);
  expect(items.map(({ id }: { id: number }) => id)).toEqual(
    matching.slice((page - 1) * page_size, page * page_size).map(({ id }) => id),
  );
});

it('GET /audit-logs: pages and totals equal those of a full scan', () => fc.assert(check, { numRuns: 80, seed: 1 }));

it('GET /audit-logs: pages and totals equal those of a full scan when all rows are counted', async () => {
  await untilCounted(rows.length);
  await fc.assert(check, { numRuns: 80, seed: 2 });
});
