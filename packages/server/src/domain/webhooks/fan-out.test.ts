import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { createLogger } from '../../platform/log.ts';
import { findStream, forgetStream } from '../events/queries.ts';
import { establishStream } from './establish-stream.ts';
import { createFanOut } from './fan-out.ts';
import { closeSpan, insertWebhook, openSpan } from './queries.ts';

let database: TestDatabase;
const clock = createTestClock();
const [organization_id, user_id] = [uuid(), uuid()];
beforeEach(async () => {
  database = await createTestDatabase({ poolSize: 10 });
  const now = clock.now();
  await sql`insert into organizations (id, name, slug, created_at) values (${organization_id}, 'A', 'a', ${now})`.execute(
    database.db,
  );
  await sql`insert into users (id, email, status, created_at, updated_at)
    values (${user_id}, 'ada@example.com', 'active', ${now}, ${now})`.execute(database.db);
  await establishStream(database.db, now);
});
afterEach(() => database.close());

const log = createLogger({ level: 'silent' });
const fanOut = (db = database.db, rowsPerBatch = 7) => createFanOut({ db, clock, log, wake: () => {}, rowsPerBatch });
const transaction = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction().execute(work);

async function addWebhook(events = ['*']): Promise<string> {
  const id = uuid();
  await transaction(async (tx) => {
    await insertWebhook(tx, {
      id,
      organization_id,
      url: 'https://example.com/',
      description: '',
      events,
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      created_by: user_id,
      created_at: clock.now(),
      deleted_at: null,
    });
    await openSpan(tx, id);
  });
  return id;
}

async function addEvents(db: Db, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuid());
  const rows = ids.map(
    (
      id,
    ) => sql`(${id}::uuid, ${clock.now()}::timestamptz, ${organization_id}::uuid, 'user', 'role.created', 'role', 'x',
      '{}'::jsonb, 'success', 'full')`,
  );
  await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type,
    resource_id, metadata, outcome, visibility) values ${sql.join(rows)}`.execute(db);
  return ids;
}

const insertedFor = async (webhook_id: string): Promise<string[]> => {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from webhook_deliveries where webhook_id = ${webhook_id} order by created_at, id`.execute(
    database.db,
  );
  return rows.map(({ event_id }) => event_id);
};

/** A running transaction anywhere in the cluster, also of other tests, can delay events for a moment. */
const expectInserted = (webhook_id: string, events: readonly string[]) =>
  vi.waitFor(
    async () => {
      await fanOut().catchUp();
      expect((await insertedFor(webhook_id)).sort()).toEqual([...events].sort());
    },
    { timeout: TIMEOUT_MS, interval: 20 },
  );

describe('the fan-out of events to webhooks', () => {
  it('inserts one delivery for each event and webhook, also when three processes work at the same time', async () => {
    const [first, second] = [await addWebhook(), await addWebhook(['role.*'])];
    const events: string[] = [];
    for (let round = 0; round < 5; round++) events.push(...(await addEvents(database.db, 10)));
    await Promise.all([fanOut().catchUp(), fanOut().catchUp(), fanOut().catchUp()]);
    await expectInserted(first, events);
    await expectInserted(second, events);
    await fanOut().catchUp();
    expect(await insertedFor(first)).toHaveLength(50);
  });

  it('wakes the queue if it has inserted deliveries, and not otherwise', async () => {
    const webhook = await addWebhook();
    const wake = vi.fn();
    const { catchUp } = createFanOut({ db: database.db, clock, log, wake });
    await catchUp();
    expect(wake).not.toHaveBeenCalled();
    await addEvents(database.db, 3);
    await vi.waitFor(
      async () => {
        await catchUp();
        expect(await insertedFor(webhook)).toHaveLength(3);
      },
      { timeout: TIMEOUT_MS, interval: 20 },
    );
    expect(wake).toHaveBeenCalledOnce();
  });

  it('an event that commits late is delivered, one that is rolled back is not', async () => {
    const webhook = await addWebhook();
    const [late, never] = [
      await database.db.startTransaction().execute(),
      await database.db.startTransaction().execute(),
    ];
    const events = await addEvents(late, 3);
    await addEvents(never, 3);
    events.push(...(await addEvents(database.db, 3)));
    await fanOut().catchUp();
    expect(await insertedFor(webhook)).toEqual([]);
    await never.rollback().execute();
    await late.commit().execute();
    await expectInserted(webhook, events);
  });

  it('an event of a transaction that began before the webhook was created and commits later is delivered', async () => {
    const late = await database.db.startTransaction().execute();
    const events = await addEvents(late, 1);
    await addEvents(database.db, 1);
    const webhook = await addWebhook();
    await late.commit().execute();
    await expectInserted(webhook, events);
  });

  it('events committed before the webhook is disabled are delivered, later ones are not until it is enabled', async () => {
    const webhook = await addWebhook();
    const events = await addEvents(database.db, 2);
    await transaction((tx) => closeSpan(tx, webhook));
    await addEvents(database.db, 2);
    await transaction((tx) => openSpan(tx, webhook));
    events.push(...(await addEvents(database.db, 2)));
    await expectInserted(webhook, events);
    await vi.waitFor(
      async () => {
        await fanOut().catchUp();
        const spans = await database.db.selectFrom('webhook_spans').selectAll().execute();
        expect(spans).toMatchObject([{ webhook_id: webhook, until: null }]);
      },
      { timeout: TIMEOUT_MS },
    );
  });

  it('a batch whose connection is lost before the commit is inserted by the next process, once', async () => {
    const webhook = await addWebhook();
    const events = await addEvents(database.db, 5);
    // The statement that moves the position ends the connection: the deliveries have been inserted, but not committed.
    await sql`create function lose() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(database.db);
    await sql`create trigger lose before update on event_stream for each row execute function lose()`.execute(
      database.db,
    );
    await vi.waitFor(() => expect(fanOut().catchUp()).rejects.toThrow(), { timeout: TIMEOUT_MS });
    expect(await insertedFor(webhook)).toEqual([]);
    await sql`drop trigger lose on event_stream`.execute(database.db);
    await expectInserted(webhook, events);
  });

  it('after a restore, events that were not processed are delivered once, and new ones despite lower transaction ids', async () => {
    const webhook = await addWebhook();
    const events = await addEvents(database.db, 3);
    await expectInserted(webhook, events);
    events.push(...(await addEvents(database.db, 9)));
    // As if the database came from a cluster with higher transaction ids.
    await sql`alter table audit_events disable trigger audit_events_append_only`.execute(database.db);
    await sql`update audit_events set xid = (xid::text::bigint + 1000000)::text::xid8`.execute(database.db);
    await sql`update event_stream set place = 'elsewhere', sent_xid = (sent_xid::text::bigint + 1000000)::text::xid8`.execute(
      database.db,
    );
    await establishStream(database.db, clock.now());
    expect(await insertedFor(webhook)).toHaveLength(12);
    events.push(...(await addEvents(database.db, 2)));
    await expectInserted(webhook, events);
  });

  it('a repeated establishStream keeps the epoch of the stream; after an import the stream gets a new epoch', async () => {
    const { epoch } = await findStream(database.db);
    await establishStream(database.db, clock.now());
    expect((await findStream(database.db)).epoch).toBe(epoch);
    await transaction(forgetStream);
    await establishStream(database.db, clock.now());
    expect((await findStream(database.db)).epoch).not.toBe(epoch);
  });
});
