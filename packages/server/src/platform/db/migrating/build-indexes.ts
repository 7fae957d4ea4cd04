import { type Kysely, sql } from 'kysely';
import { connectDatabase, type DatabaseAddress, isPooled, type Tx } from '../connect.ts';
import type { Schema } from '../schema.ts';
import type { NewIndex } from './migration.ts';
import { buildStatement } from './read-migration.ts';

/**
 * Builds the indexes concurrently on a separate connection, while the transaction only has the migration lock. Behind a
 * pooler that is impossible: it needs a statement without timeout outside of a transaction, and there the timeout can
 * be lifted only within a transaction. So behind a pooler the table is not writable during the build.
 */
export async function buildIndexes(tx: Tx, address: DatabaseAddress, indexes: readonly NewIndex[]): Promise<void> {
  if (isPooled(address)) {
    for (const index of indexes) await build(tx, index, '');
    return;
  }
  const { db, close } = connectDatabase({ address, poolSize: 1, unhurried: true, onIdleError: () => {} });
  try {
    await db.connection().execute(async (connection) => {
      await sql`set statement_timeout = 0`.execute(connection);
      // The build waits for running transactions, and nothing waits for it.
      await sql`set lock_timeout = 0`.execute(connection);
      for (const index of indexes) await build(connection, index, 'concurrently ');
    });
  } finally {
    await close();
  }
}

/** Can be repeated after an interruption: keeps a valid index, and drops and rebuilds an invalid one. */
async function build(db: Kysely<Schema>, index: NewIndex, how: '' | 'concurrently '): Promise<void> {
  const [, table, rest] = /^(\w+) (.*)$/s.exec(index.on)!;
  const partitions = how === '' ? [] : await listPartitions(db, table!);
  if (partitions.length === 0) return buildOne(db, index, how);
  if ((await isValid(db, index.name)) === undefined) {
    await sql.raw(buildStatement({ ...index, on: `only ${table} ${rest}` }, '')).execute(db);
  }
  // Partitions that are created from here on get the index by themselves.
  for (const partition of await listPartitions(db, table!)) await buildPart(db, index, partition, rest!);
}

/** PostgreSQL cannot build the index of a partitioned table concurrently. It becomes valid with its last part. */
async function buildPart(db: Kysely<Schema>, index: NewIndex, partition: string, rest: string): Promise<void> {
  const name = `${index.name}_${partition.split('_').at(-1)}`;
  if (await isPartOf(db, index.name, partition)) return;
  await buildOne(db, { ...index, name, on: `${partition} ${rest}` }, 'concurrently ');
  await sql.raw(`alter index ${index.name} attach partition ${name}`).execute(db);
}

async function buildOne(db: Kysely<Schema>, index: NewIndex, how: '' | 'concurrently '): Promise<void> {
  const valid = await isValid(db, index.name);
  if (valid) return;
  if (valid === false) await sql.raw(`drop index ${how}${index.name}`).execute(db);
  await sql.raw(buildStatement(index, how)).execute(db);
}

/** Returns undefined if the index does not exist. */
async function isValid(db: Kysely<Schema>, name: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident(${name}))`.execute(db);
  return rows[0]?.valid;
}

/** Returns no names if the table is not partitioned. */
async function listPartitions(db: Kysely<Schema>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_inherits join pg_class part on part.oid = inhrelid
    where inhparent = to_regclass(quote_ident(${table})) and part.relkind = 'r' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether an index of this partition belongs to the index of the whole table. */
async function isPartOf(db: Kysely<Schema>, index: string, partition: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_inherits join pg_index part on part.indexrelid = inhrelid
    where inhparent = to_regclass(quote_ident(${index})) and part.indrelid = to_regclass(quote_ident(${partition}))`.execute(
    db,
  );
  return rows.length > 0;
}
