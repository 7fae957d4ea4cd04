import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { analyzeFilled } from './analyze.ts';
import { connectDatabase, type DatabaseAddress, type Db, type Tx } from './connect.ts';
import { isLockTimeout, isRetryable, isUndefinedTable } from './errors.ts';
import { buildIndexes } from './migrating/build-indexes.ts';
import { LOCK_WAIT, type Migration } from './migrating/migration.ts';
import { MIGRATIONS } from './migrations/list.ts';

export interface MigrationStatus {
  applied: { version: number; name: string; applied_at: Date }[];
  pending: Migration[];
  /** Versions applied by a newer version of the service. Harmless, because migrations add before they remove. */
  unknown: number[];
}

interface Applied {
  version: number;
  name: string;
  milliseconds: number;
}

const LOCK = 0x67617465; // 'gate' in ASCII; arbitrary, but must never change
const RETRY_DELAY_MS = 200;

const LOCK_ATTEMPTS = 40;
const LOCK_RETRY_DELAY_MS = 1_000;

/** Read-only. Also works on a database that was never migrated. */
export async function migrationStatus(db: Db, migrations = MIGRATIONS): Promise<MigrationStatus> {
  const applied = await listApplied(db).catch((error) => {
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

/** Applies migrations one at a time, under a transaction-level lock: replicas wait for it, also behind a pooler. */
export async function migrate(
  address: DatabaseAddress,
  now: Date,
  onApply: (migration: Migration) => void = () => {},
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Applied[]> {
  const { db, close } = connectDatabase({ address, poolSize: 1, unhurried: true, onIdleError: () => {} });
  try {
    const done: Applied[] = [];
    for (const migration of (await migrationStatus(db, migrations)).pending) {
      const milliseconds = await apply(db, { migration, address, now, onApply });
      const { version, name } = migration;
      if (milliseconds !== undefined) done.push({ version, name, milliseconds });
    }
    if (done.length > 0) await analyzeFilled(db);
    return done;
  } finally {
    await close();
  }
}

interface Work {
  readonly migration: Migration;
  readonly address: DatabaseAddress;
  readonly now: Date;
  readonly onApply: (migration: Migration) => void;
}

/** Returns the duration in milliseconds, or undefined if another replica applied the migration first. */
async function apply(db: Db, { migration, address, now, onApply }: Work): Promise<number | undefined> {
  const { version, name } = migration;
  let announced = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await withMigrationLock(db, async (tx) => {
        await createLedger(tx);
        if (await isApplied(tx, version)) return undefined;
        if (!announced) onApply(migration);
        announced = true;
        const started = performance.now();
        if (migration.sql !== undefined) await sql.raw(migration.sql).execute(tx);
        else await buildIndexes(tx, address, migration.indexes);
        await tx.insertInto('schema_migrations').values({ version, name, applied_at: now }).execute();
        return performance.now() - started;
      });
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !(isLockTimeout(error) || isRetryable(error))) throw error;
      await sleep(LOCK_RETRY_DELAY_MS);
    }
  }
}

/**
 * Polls for the lock instead of waiting in a statement: a waiting statement has a snapshot, and a concurrent index
 * build waits for all older snapshots, so the two would block each other forever.
 */
async function withMigrationLock<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (;;) {
    // At a stricter level the transaction itself would have a snapshot, and an index build would wait for it.
    const transaction = db.transaction().setIsolationLevel('read committed');
    const done = await transaction.execute(async (tx) => {
      if (!(await tryMigrationLock(tx))) return undefined;
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx);
      return { result: await work(tx) };
    });
    if (done) return done.result;
    await sleep(RETRY_DELAY_MS);
  }
}

async function tryMigrationLock(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as free`.execute(tx);
  return rows[0]!.free;
}

const listApplied = (db: Db) =>
  db.selectFrom('schema_migrations').select(['version', 'name', 'applied_at']).orderBy('version').execute();

/** The version is a literal: a statement with parameters keeps its snapshot, for which an index build would wait. */
async function isApplied(tx: Tx, version: number): Promise<boolean> {
  const row = await tx
    .selectFrom('schema_migrations')
    .select('version')
    .where('version', '=', sql.lit(version))
    .executeTakeFirst();
  return row !== undefined;
}

const createLedger = (tx: Tx) =>
  sql`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    applied_at timestamptz not null
  )`.execute(tx);
