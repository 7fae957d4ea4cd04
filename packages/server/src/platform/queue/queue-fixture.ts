import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/connect.ts';
import { createLogger, type Logger } from '../log.ts';
import { createQueue, type Message, type Observe, type Outcome, type Queue, type QueueStore } from './queue.ts';

interface TestMessage extends Message {
  readonly lane: Lane;
}

type Lane = 'fast' | 'slow';
type Row = TestMessage & { state: string; next_attempt_at: Date; last_error: string | null };

export const LEASE_SECONDS = 600;

/** Creates the table of messages and the table `deliveries`, which gets a row for each attempt of any process. */
export const createMessages = (db: Db): Promise<unknown> =>
  sql`create table messages (id text primary key, lane text not null, state text not null default 'queued',
        attempts int not null default 0, next_attempt_at timestamptz not null, expires_at timestamptz not null, last_error text);
      create table deliveries (id text not null, pid int not null)`.execute(db);

export const addMessage = (db: Db, id: string, now: Date, { lane = 'fast' as Lane, expires_at = 'infinity' } = {}) =>
  sql`insert into messages (id, lane, next_attempt_at, expires_at)
      values (${id}, ${lane}, ${now}, ${expires_at}::timestamptz)`.execute(db);

export const findMessage = async (db: Db, id: string): Promise<Row> =>
  (await sql<Row>`select * from messages where id = ${id}`.execute(db)).rows[0]!;

export const addDelivery = (db: Db, id: string): Promise<unknown> =>
  sql`insert into deliveries values (${id}, ${process.pid})`.execute(db);

export const listDeliveries = async (db: Db): Promise<{ id: string; pid: number }[]> =>
  (await sql<{ id: string; pid: number }>`select id, pid from deliveries order by id`.execute(db)).rows;

const storeOf = (db: Db): QueueStore<TestMessage, Lane> => ({
  async claim({ now, leased_until, limits }) {
    const due = (lane: Lane) => sql`(select id from messages where lane = ${lane} and state = 'queued'
      and next_attempt_at <= ${now} and expires_at > ${now} order by id limit ${limits[lane]} for update skip locked)`;
    const { rows } = await sql<TestMessage>`
      update messages set attempts = attempts + 1, next_attempt_at = ${leased_until}
      where id in ${due('fast')} or id in ${due('slow')} returning *`.execute(db);
    return rows;
  },
  finish: ({ id }) => sql`update messages set state = 'done' where id = ${id}`.execute(db),
  retry: ({ id, attempts, last_error, next_attempt_at, counted }) =>
    sql`update messages set attempts = attempts - ${counted ? 0 : 1}, next_attempt_at = ${next_attempt_at},
          last_error = ${last_error} where id = ${id} and attempts = ${attempts}`.execute(db),
  fail: ({ id, attempts, last_error }) =>
    sql`update messages set state = 'failed', last_error = ${last_error}
        where id = ${id} and attempts = ${attempts}`.execute(db),
  async expire({ now, limit }) {
    const { numAffectedRows } = await sql`update messages set state = 'expired' where id in (select id from messages
      where state = 'queued' and next_attempt_at <= ${now} and expires_at <= ${now} limit ${limit})`.execute(db);
    return Number(numAffectedRows ?? 0);
  },
});

interface TestQueue {
  readonly clock: Clock;
  readonly attempt: (message: TestMessage) => Promise<Outcome>;
  readonly log?: Logger;
  readonly observe?: Observe;
  readonly isOpen?: () => boolean;
  readonly claimPauseFactor?: number;
}

export const createTestQueue = (db: Db, { isOpen = () => true, log, ...options }: TestQueue): Queue =>
  createQueue({
    name: 'test',
    log: log ?? createLogger({ level: 'silent' }),
    store: storeOf(db),
    lanes: { fast: { concurrency: 2, isOpen }, slow: { concurrency: 1 } },
    laneOf: ({ lane }) => lane,
    leaseSeconds: LEASE_SECONDS,
    retryDelays: [10, 20],
    ...options,
  });
