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
