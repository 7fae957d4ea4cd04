import { setTimeout as sleep } from 'node:timers/promises';
import { buildIndexes } from './build-indexes.ts';
import { type Connection, type Queries, select } from './connection.ts';
import { isTemporary, isUndefinedTable } from './errors.ts';
import { LOCK_WAIT, type Migration } from './migration.ts';

export interface MigrationStatus {
  applied: { version: number; name: string; applied_at: Date }[];
  pending: Migration[];
  /** Versions applied by a newer version of the program. Harmless, because migrations add before they remove. */
  unknown: number[];
}

export interface Applied {
  version: number;
  name: string;
  milliseconds: number;
}

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Opens a connection on which statements may take as long as they need. */
  connect(): Promise<Connection>;
  /** The connections go through a pooler that pools by transaction, so settings do not outlive one. */
  readonly pooled?: boolean;
  /** Recorded as the time of the migrations. */
  readonly now: Date;
  /** Called before a migration is applied. */
  readonly onApply?: (migration: Migration) => void;
}

const LOCK = 0x67617465; // 'gate' in ASCII; arbitrary, but must never change
const RETRY_DELAY_MS = 200;

const LOCK_ATTEMPTS = 40;
const LOCK_RETRY_DELAY_MS = 1_000;

/** Read-only. Also works on a database that was never migrated. */
export async function migrationStatus(queries: Queries, migrations: readonly Migration[]): Promise<MigrationStatus> {
  const applied = await listApplied(queries).catch((error) => {
    if (isUndefinedTable(error)) return [];
    throw error;
  });
  const versions = new Set(applied.map((row) => row.version));
  return {
    applied,
    pending: migrations.filter((migration) => !versions.has(migration.version)),
    unknown: [...versions].filter((version) => !migrations.some((migration) => migration.version === version)),
  };
}

/**
 * Applies pending migrations one at a time, under a transaction-level lock: other processes that migrate the database
 * wait for it, also behind a pooler. Returns the applied migrations.
 */
export async function migrate(options: MigrateOptions): Promise<Applied[]> {
  const connection = await options.connect();
  try {
    const done: Applied[] = [];
    for (const migration of (await migrationStatus(connection, options.migrations)).pending) {
      const milliseconds = await apply(connection, migration, options);
      const { version, name } = migration;
      if (milliseconds !== undefined) done.push({ version, name, milliseconds });
    }
    return done;
  } finally {
    await connection.end();
  }
}

/** Returns the duration in milliseconds, or undefined if another process applied the migration first. */
async function apply(
  connection: Connection,
  migration: Migration,
  { connect, pooled = false, now, onApply }: MigrateOptions,
): Promise<number | undefined> {
  const { version, name } = migration;
  let announced = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await withMigrationLock(connection, async () => {
        await createLedger(connection);
        if (await isApplied(connection, version)) return undefined;
        if (!announced) onApply?.(migration);
        announced = true;
        const started = performance.now();
        if (migration.sql !== undefined) await connection.query(migration.sql);
        else await buildIndexes(pooled ? { inside: connection } : { connect }, migration.indexes);
        await connection.query('insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)', [
          version,
          name,
          now,
        ]);
        return performance.now() - started;
      });
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !isTemporary(error)) throw error;
      await sleep(LOCK_RETRY_DELAY_MS);
    }
  }
}

/**
 * Polls for the lock instead of waiting in a statement: a waiting statement has a snapshot, and a concurrent index
 * build waits for all older snapshots, so the two would block each other forever.
 */
async function withMigrationLock<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const done = await inTransaction(connection, async () => {
      if (!(await tryMigrationLock(connection))) return undefined;
      await connection.query('set local statement_timeout = 0');
      await connection.query('set local idle_in_transaction_session_timeout = 0');
      await connection.query(`set local lock_timeout = '${LOCK_WAIT}'`);
      return { result: await work() };
    });
    if (done) return done.result;
    await sleep(RETRY_DELAY_MS);
  }
}

async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  // At a stricter level the transaction itself would have a snapshot, and an index build would wait for it.
  await connection.query('begin isolation level read committed');
  try {
    const result = await work();
    await connection.query('commit');
    return result;
  } catch (error) {
    // Fails on a lost connection, whose transaction ends by itself.
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function tryMigrationLock(connection: Connection): Promise<boolean> {
  const rows = await select<{ free: boolean }>(connection, `select pg_try_advisory_xact_lock(${LOCK}) as free`);
  return rows[0]!.free;
}

const listApplied = (queries: Queries) =>
  select<{ version: number; name: string; applied_at: Date }>(
    queries,
    'select version, name, applied_at from schema_migrations order by version',
  );

/** The version is a literal: a statement with parameters keeps its snapshot, for which an index build would wait. */
async function isApplied(connection: Connection, version: number): Promise<boolean> {
  const rows = await select(connection, `select from schema_migrations where version = ${Math.trunc(version)}`);
  return rows.length > 0;
}

const createLedger = (connection: Connection) =>
  connection.query(`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    applied_at timestamptz not null
  )`);
