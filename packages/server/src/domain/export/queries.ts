import { NIL_UUID } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { isLockTimeout, isUndefinedTable } from '../../platform/db/errors.ts';
import { findLeaseEnd, forceLease } from '../../platform/db/lease.ts';
import { lock, tryShareLock } from '../../platform/db/lock.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { MovedTable } from './tables.ts';

type Table = keyof Schema;

const LOCK = 'import';

const list = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)));

/** Removes the timeouts of the transaction, for work that may take hours or wait long for a disk or a lock. */
export async function withoutLimits(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

/** Runs `work` in one snapshot of the whole database, with portable values: times in microseconds, in UTC. */
export const inSnapshot = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await withoutLimits(tx);
      await sql`set local timezone = 'UTC'`.execute(tx);
      await sql`set local datestyle = 'ISO'`.execute(tx);
      await sql`set local bytea_output = 'hex'`.execute(tx);
      return work(tx);
    });

/**
 * Settings of a transaction that loads a batch. The transaction does not wait for the disk: a crash of the database
 * loses rows and progress together, and the last transaction of an import waits and thus makes all earlier ones
 * durable.
 */
export async function prepareBatch(tx: Tx): Promise<void> {
  await withoutLimits(tx);
  await sql`set local synchronous_commit = off`.execute(tx);
}

export async function listColumns(db: Db | Tx, table: Table): Promise<string[]> {
  const { rows } = await sql<{ attname: string }>`select attname from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum`.execute(db);
  return rows.map(({ attname }) => attname);
}

export async function countRows(db: Db | Tx, table: Table): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return rows[0]!.count;
}

export async function hasRows(db: Db | Tx, table: Table): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from ${sql.table(table)}) as found`.execute(db);
  return rows[0]!.found;
}

/** Counts the audit rows of the export; those of the service itself have higher ids. */
export async function countEventsUpTo(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit_events where id <= ${id}`.execute(
    tx,
  );
  return rows[0]!.count;
}

export async function countEventsAfter(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit_events where id > ${id}`.execute(
    tx,
  );
  return rows[0]!.count;
}

/** Whether any audit row belongs to an organization. Those of a service without users, as about a new key, do not. */
export async function hasUserEvents(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from audit_events
    where organization_id <> ${NIL_UUID}) as found`.execute(tx);
  return rows[0]!.found;
}

/** Gives the existing audit rows ids above all used ones, in order. The append-only trigger is off only during this. */
export async function moveEventsBehind(tx: Tx): Promise<void> {
  const columns = (await listColumns(tx, 'audit_events')).filter((column) => column !== 'id' && column !== 'xid');
  await sql`create temp table own_events on commit drop as select * from audit_events`.execute(tx);
  await sql`alter table audit_events disable trigger audit_events_append_only`.execute(tx);
  await sql`delete from audit_events`.execute(tx);
  await sql`alter table audit_events enable trigger audit_events_append_only`.execute(tx);
  // The first row of a service may be older than its first partition.
  await sql`select ensure_audit_month(month) from (
    select distinct date_trunc('month', "timestamp", 'UTC') as month from own_events) as months`.execute(tx);
  await sql`insert into audit_events (${list(columns)}) select ${list(columns)} from own_events order by id`.execute(
    tx,
  );
}

/** The database renders the rows as JSON, so that no value passes through a JavaScript number or date. */
export async function openRows(tx: Tx, { name, order }: MovedTable, columns: readonly string[]): Promise<void> {
  await sql`declare moved no scroll cursor for select row_to_json(moved)::text as line
    from (select ${list(columns)} from ${sql.table(name)} order by ${list(order)}) as moved`.execute(tx);
}

export async function fetchLines(tx: Tx, count: number): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`fetch ${sql.lit(count)} from moved`.execute(tx);
  return rows.map(({ line }) => line);
}

export const closeRows = (tx: Tx) => sql`close moved`.execute(tx);

export async function findGreatestAuditId(tx: Tx): Promise<number | null> {
  const row = await tx.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? null;
}

export async function listEmails(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom('users').select('email').where('id', 'in', ids).orderBy('email').execute();
  return rows.map(({ email }) => email);
}

interface ExclusiveWork<T> {
  /** Thrown if the lock is taken. */
  readonly busy: Error;
  /** Thrown by `checkLock` if the connection of the lock is lost. */
  readonly lost: Error;
  readonly work: (checkLock: () => Promise<void>) => Promise<T>;
}

/** One import at a time. The lock is in an idle transaction: it ends with the process, and works behind a pooler. */
export async function whileAlone<T>(db: Db, { busy, lost, work }: ExclusiveWork<T>): Promise<T> {
  // The result of the work is returned even if the transaction of the lock cannot be ended properly.
  let outcome: Promise<T> | undefined;
  return db
    .transaction()
    .execute(async (tx) => {
      await withoutLimits(tx);
      await sql`set local lock_timeout = '5s'`.execute(tx);
      await lock(tx, LOCK).catch((error) => {
        throw isLockTimeout(error) ? busy : error;
      });
      outcome = work(async () => {
        await sql`select`.execute(tx).catch((cause) => {
          lost.cause = cause;
          throw lost;
        });
      });
      return outcome;
    })
    .catch((error) => outcome ?? Promise.reject(error));
}

/** Runs the work while no import can begin. Returns false, without running it, if one is running. */
export const whileNoneRuns = (db: Db, work: () => Promise<void>): Promise<boolean> =>
  db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (tx) => {
      await withoutLimits(tx);
      if (!(await tryShareLock(tx, LOCK))) return false;
      await work();
      return true;
    });

/** JSON columns that are not nullable: a null that was exported for them is the JSON null. */
export async function listJsonColumns(db: Db, table: Table): Promise<string[]> {
  const { rows } = await sql<{ attname: string }>`select attname from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and attnotnull and atttypid = 'jsonb'::regtype`.execute(db);
  return rows.map(({ attname }) => attname);
}

interface Rows {
  readonly columns: readonly string[];
  readonly json_columns: readonly string[];
  readonly json: string;
}

/** Inserts the rows in one statement. Columns that the export does not have get their defaults. */
export async function insertRows(tx: Tx, table: Table, { columns, json_columns, json }: Rows): Promise<void> {
  const values = columns.map((name) =>
    json_columns.includes(name) ? sql`coalesce(${sql.ref(name)}, 'null')` : sql.ref(name),
  );
  await sql`insert into ${sql.table(table)} (${list(columns)}) overriding system value
    select ${sql.join(values)} from jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb)`.execute(tx);
}

export const ensureMonthsOf = (tx: Tx, json: string) =>
  sql`select ensure_audit_month(month) from (
    select distinct date_trunc('month', (event ->> 'timestamp')::timestamptz, 'UTC') as month
    from jsonb_array_elements(${json}::jsonb) as event) as months`.execute(tx);

/** Makes new audit ids higher than those of the export and all used ones. */
export const raiseAuditIds = (tx: Tx, greatest: number) =>
  sql`select setval(name, greatest(${greatest}::bigint, pg_sequence_last_value(name)))
    from (select pg_get_serial_sequence('audit_events', 'id')::regclass as name) as ids`.execute(tx);

export const listProgress = (tx: Tx, export_id: string) =>
  tx
    .selectFrom('imports')
    .select(['file', 'lines', 'finished_at'])
    .where('export_id', '=', export_id)
    .orderBy('file')
    .execute();

export const insertProgress = (tx: Tx, export_id: string, files: readonly string[]) =>
  tx
    .insertInto('imports')
    .values(files.map((file) => ({ export_id, file, lines: 0, finished_at: null })))
    .execute();

/** Deletes the progress of imports that did not finish and left no rows. */
export const deleteUnfinished = (tx: Tx) => tx.deleteFrom('imports').where('finished_at', 'is', null).execute();

/** Whether lines of this file came from another export. */
export async function isFromAnother(tx: Tx, export_id: string, file: string): Promise<boolean> {
  const row = await tx
    .selectFrom('imports')
    .select('lines')
    .where('export_id', '<>', export_id)
    .where('file', '=', file)
    .where('lines', '>', 0)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns false if another process has loaded these lines in the meantime. */
export async function advanceProgress(
  tx: Tx,
  { export_id, file, from, to }: { export_id: string; file: string; from: number; to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('imports')
    .set({ lines: to })
    .where('export_id', '=', export_id)
    .where('file', '=', file)
    .where('lines', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export const finishProgress = (tx: Tx, export_id: string, now: Date) =>
  tx.updateTable('imports').set({ finished_at: now }).where('export_id', '=', export_id).execute();

/** Whether an import has begun here and not finished. A database without a schema has none. */
export async function isHalfImported(db: Db | Tx): Promise<boolean> {
  const row = await db
    .selectFrom('imports')
    .select('file')
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
    .catch((error) => {
      if (isUndefinedTable(error)) return undefined;
      throw error;
    });
  return row !== undefined;
}

/** A lease that expires immediately. It only stores the time of the export, in a table that is not exported. */
const EXPORTED = 'exported';

export const noteExport = (db: Db) => forceLease(db, EXPORTED, 0);

export const findLastExport = (db: Db): Promise<Date | null> => findLeaseEnd(db, EXPORTED);
