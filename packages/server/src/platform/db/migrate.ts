import { sql } from 'kysely';
import { analyzeFilled } from './analyze.ts';
import { connectDatabase, type DatabaseAddress, type Db, type Tx } from './connect.ts';
import { isUndefinedTable } from './errors.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { accounts } from './migrations/0002-accounts.ts';
import { secondFactors } from './migrations/0003-second-factors.ts';
import { thirdParties } from './migrations/0004-third-parties.ts';
import { administration } from './migrations/0005-administration.ts';
import { consoleCounts } from './migrations/0006-console.ts';
import { scale } from './migrations/0007-scale.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** In order. A migration that has been released is never edited again: the next one mends it. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  accounts,
  secondFactors,
  thirdParties,
  administration,
  consoleCounts,
  scale,
];

export interface MigrationStatus {
  applied: { version: number; name: string; applied_at: Date }[];
  pending: Migration[];
  /** Applied by a newer version of the service; harmless, since migrations only add before they remove. */
  unknown: number[];
}

const LOCK = 0x67617465; // 'gate': any number does, as long as it stays the same

/** Reads only; also on a database that was never migrated. */
export async function migrationStatus(db: Db): Promise<MigrationStatus> {
  const applied = await listApplied(db).catch((error) => {
    if (isUndefinedTable(error)) return [];
    throw error;
  });
  const versions = new Set(applied.map((row) => row.version));
  return {
    applied,
    pending: MIGRATIONS.filter((migration) => !versions.has(migration.version)),
    unknown: [...versions].filter((version) => !MIGRATIONS.some((migration) => migration.version === version)),
  };
}

/**
 * Applies what is pending, each in a transaction of its own under an advisory lock: replicas that start together wait for
 * one another, and the lock works through a transaction-pooling proxy too. Returns what this call applied.
 */
export async function migrate(
  address: DatabaseAddress,
  now: Date,
  onApply?: (migration: Migration) => void,
): Promise<Migration[]> {
  const { db, close } = connectDatabase({ address, poolSize: 1, patient: true, onIdleError: () => {} });
  try {
    return await applyPending(db, now, onApply);
  } finally {
    await close();
  }
}

async function applyPending(db: Db, now: Date, onApply?: (migration: Migration) => void): Promise<Migration[]> {
  const status = await migrationStatus(db);
  const done: Migration[] = [];
  for (const migration of status.pending) {
    const ran = await db.transaction().execute(async (tx) => {
      // Another replica may be at work for long; a lock inside the migration must not stall the service for long.
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local lock_timeout = 0`.execute(tx);
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
      await sql`set local lock_timeout = '30s'`.execute(tx);
      await createLedger(tx);
      if (await isApplied(tx, migration.version)) return false;
      onApply?.(migration);
      await sql.raw(migration.sql).execute(tx);
      await tx
        .insertInto('schema_migrations')
        .values({ version: migration.version, name: migration.name, applied_at: now })
        .execute();
      return true;
    });
    if (ran) done.push(migration);
  }
  if (done.length > 0) await analyzeFilled(db);
  return done;
}

const listApplied = (db: Db) =>
  db.selectFrom('schema_migrations').select(['version', 'name', 'applied_at']).orderBy('version').execute();

async function isApplied(tx: Tx, version: number): Promise<boolean> {
  const row = await tx
    .selectFrom('schema_migrations')
    .select('version')
    .where('version', '=', version)
    .executeTakeFirst();
  return row !== undefined;
}

const createLedger = (tx: Tx) =>
  sql`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    applied_at timestamptz not null
  )`.execute(tx);
