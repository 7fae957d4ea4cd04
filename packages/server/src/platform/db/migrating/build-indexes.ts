import { type Kysely, sql } from 'kysely';
import { connectDatabase, type DatabaseAddress, isPooled, type Tx } from '../connect.ts';
import type { Schema } from '../schema.ts';
import { LOCK_WAIT, type NewIndex } from './migration.ts';
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
      for (const index of indexes) await buildConcurrently(connection, index);
    });
  } finally {
    await close();
  }
}

async function buildConcurrently(db: Kysely<Schema>, index: NewIndex): Promise<void> {
  const [table] = /^\w+/.exec(index.on) ?? [''];
  if (await isPartitioned(db, table)) return buildOnPartitions(db, index, table);
  // The build waits for running transactions, and nothing waits for it.
  await sql`set lock_timeout = 0`.execute(db);
  await build(db, index, 'concurrently ');
}

/**
 * PostgreSQL cannot build an index of a partitioned table concurrently. So it is declared for the table, without
 * building it, built for one partition after the other, and attached; then it is valid. Partitions that are created
 * meanwhile have it from the start. Declaring and attaching take locks that writes wait for, so they wait only briefly
 * for them; the whole migration is retried.
 */
async function buildOnPartitions(db: Kysely<Schema>, index: NewIndex, table: string): Promise<void> {
  await sql.raw(`set lock_timeout = '${LOCK_WAIT}'`).execute(db);
  if ((await isValid(db, index.name)) === undefined) {
    await sql.raw(buildStatement({ ...index, on: `only ${index.on}` }, '')).execute(db);
  }
  for (const partition of await listPartitionsWithout(db, index.name, table)) {
    const part = { ...index, name: index.name.replace(table, partition), on: index.on.replace(table, partition) };
    await buildConcurrently(db, part);
    await sql.raw(`set lock_timeout = '${LOCK_WAIT}'`).execute(db);
    await sql.raw(`alter index ${index.name} attach partition ${part.name}`).execute(db);
  }
}

async function isPartitioned(db: Kysely<Schema>, table: string): Promise<boolean> {
  const { rows } =
    await sql`select from pg_class where oid = to_regclass(quote_ident(${table})) and relkind = 'p'`.execute(db);
  return rows.length > 0;
}

async function listPartitionsWithout(db: Kysely<Schema>, index: string, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select part.relname as name from pg_inherits i join pg_class part on part.oid = i.inhrelid
    where i.inhparent = to_regclass(quote_ident(${table})) and not exists (
      select from pg_inherits attached join pg_index built on built.indexrelid = attached.inhrelid
      where attached.inhparent = to_regclass(quote_ident(${index})) and built.indrelid = part.oid)
    order by part.relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Can be repeated after an interruption: keeps a valid index, and drops and rebuilds an invalid one. */
async function build(db: Kysely<Schema>, index: NewIndex, how: '' | 'concurrently '): Promise<void> {
  const valid = await isValid(db, index.name);
  if (valid) return;
  if (valid === false) await sql.raw(`drop index ${how}${index.name}`).execute(db);
  await sql.raw(buildStatement(index, how)).execute(db);
}

async function isValid(db: Kysely<Schema>, name: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident(${name}))`.execute(db);
  return rows[0]?.valid;
}
