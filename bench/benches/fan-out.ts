import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { establishStream } from '../../packages/server/src/domain/webhooks/establish-stream.ts';
import { createFanOut } from '../../packages/server/src/domain/webhooks/fan-out.ts';
import { insertWebhook, openSpan } from '../../packages/server/src/domain/webhooks/queries.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { connectDatabase, type Db } from '../../packages/server/src/platform/db/connect.ts';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { createLogger } from '../../packages/server/src/platform/log.ts';
import { type Account, insertAccounts } from '../accounts.ts';
import { openDatabase } from '../database.ts';
import { perSecond } from '../goals.ts';
import { readCpu } from '../proc.ts';
import { median, showProgress } from '../race.ts';
import type { Columns } from '../report.ts';
import { makeFolder } from '../start-process.ts';
import { atEnd } from '../tidy.ts';

/** Audit rows per round. One webhook gets them all, so each is also a delivery. */
const ROWS = 20_000;
/** As many rows as the fan-out inserts per transaction. */
const BATCH = 500;

export interface FanOutLine {
  readonly name: string;
  /** Of each round: rows per second, and milliseconds of CPU time per thousand rows. */
  readonly rates: number[];
  readonly cpu: number[];
}

export const FAN_OUT_COLUMNS: Columns<FanOutLine> = [
  [`${ROWS} deliveries`, ({ name }) => name],
  ['rows/s', ({ rates }) => perSecond(median(rates))],
  ['least … most', ({ rates }) => `${perSecond(Math.min(...rates))} … ${perSecond(Math.max(...rates))}`],
  ['CPU ms per 1,000 rows', ({ cpu }) => median(cpu).toFixed(1)],
];

/**
 * Measures the fan-out of audit rows to a webhook, and as many rows inserted in transactions of the same size into a
 * table with the same columns and indexes, alternately. Both run in this process over one connection.
 */
export async function measureFanOut(rounds: number): Promise<Record<'plain' | 'fanOut', FanOutLine>> {
  const db = await openMigrated();
  const [account] = await insertAccounts(db, 1);
  await addWebhook(db, account!);
  await sql`create table plain_deliveries (like webhook_deliveries including all)`.execute(db);
  const log = createLogger({ level: 'silent' });
  const { catchUp } = createFanOut({ db, clock: systemClock, log, wake: () => {}, rowsPerBatch: BATCH });
  const lines: Record<'plain' | 'fanOut', FanOutLine> = {
    plain: { name: 'plain inserts', rates: [], cpu: [] },
    fanOut: { name: 'fan-out', rates: [], cpu: [] },
  };
  for (let round = 0; round <= rounds; round++) {
    showProgress(`  fan-out: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    await insertEvents(db, account!.organization_id, ROWS);
    const fanOut = await measured(catchUp);
    const deliveries = await db.selectFrom('webhook_deliveries').selectAll().execute();
    if (deliveries.length !== ROWS) throw new Error(`the fan-out inserted ${deliveries.length} of ${ROWS} deliveries`);
    const plain = await measured(() => insertPlainly(db, deliveries));
    for (const [line, { rate, cpu }] of [
      [lines.fanOut, fanOut],
      [lines.plain, plain],
    ] as const) {
      if (round === 0) continue;
      line.rates.push(rate);
      line.cpu.push(cpu);
    }
    await sql`truncate webhook_deliveries, plain_deliveries`.execute(db);
  }
  return lines;
}

/** PostgreSQL is a child process of this one. */
async function measured(work: () => Promise<unknown>): Promise<{ rate: number; cpu: number }> {
  const cpuTime = () => {
    const { service, database } = readCpu([process.pid]);
    return service + database;
  };
  const [begun, before] = [performance.now(), cpuTime()];
  await work();
  const [ended, after] = [performance.now(), cpuTime()];
  return { rate: (ROWS * 1000) / (ended - begun), cpu: ((after - before) * 1000) / ROWS };
}

async function openMigrated(): Promise<Db> {
  const { connection: address } = await openDatabase(makeFolder(), 'server');
  await migrate(address, systemClock.now());
  const { db, close } = connectDatabase({ address, poolSize: 1, unhurried: true, onIdleError: () => {} });
  atEnd(close);
  await establishStream(db, systemClock.now());
  return db;
}

/** A webhook that gets all events of the organization. */
const addWebhook = (db: Db, { organization_id, user_id }: Account) =>
  db.transaction().execute(async (tx) => {
    const id = uuid();
    await insertWebhook(tx, {
      id,
      organization_id,
      url: 'https://example.com/',
      description: '',
      events: ['*'],
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      created_by: user_id,
      created_at: systemClock.now(),
      deleted_at: null,
    });
    await openSpan(tx, id);
  });

/** Inserts audit rows, each in its own transaction, as requests do, but without waiting for the disk. */
export const insertEvents = (db: Db, organization_id: string, count: number) =>
  sql`do ${sql.lit(`begin
    set synchronous_commit = off;
    for n in 1..${count} loop
      insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
        metadata, outcome, visibility)
      values (gen_random_uuid(), date_trunc('milliseconds', now()), '${organization_id}', 'user', 'role.created', 'role',
        n::text, '{}', 'success', 'full');
      commit;
    end loop;
    set synchronous_commit = on;
  end`)}`.execute(db);

interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly audit_id: number | null;
  readonly event_at: Date;
  readonly type: string;
  readonly next_attempt_at: Date;
  readonly created_at: Date;
}

/** One statement, which is a transaction, per batch. */
async function insertPlainly(db: Db, rows: readonly Delivery[]): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    await sql`insert into plain_deliveries
        (id, webhook_id, event_id, audit_id, event_at, type, next_attempt_at, created_at)
      select * from unnest(${batch.map(({ id }) => id)}::uuid[], ${batch.map(({ webhook_id }) => webhook_id)}::uuid[],
        ${batch.map(({ event_id }) => event_id)}::uuid[], ${batch.map(({ audit_id }) => audit_id)}::bigint[],
        ${batch.map(({ event_at }) => event_at)}::timestamptz[], ${batch.map(({ type }) => type)}::text[],
        ${batch.map((row) => row.next_attempt_at)}::timestamptz[],
        ${batch.map(({ created_at }) => created_at)}::timestamptz[])`.execute(db);
  }
}
