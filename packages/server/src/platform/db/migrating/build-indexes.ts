import { type Kysely, sql } from 'kysely';
import { connectDatabase, type DatabaseAddress, isPooled, type Tx } from '../connect.ts';
import type { Schema } from '../schema.ts';
import type { NewIndex } from './migration.ts';
import { buildStatement } from './read-migration.ts';

/**
 * Beside the service, on a connection of its own, while the transaction holds the turn and nothing else. Behind a pooler that is not
 * possible: it takes a statement without limit of time outside of a transaction, and a limit can be lifted there for a transaction alone.
 * So there the table takes no writes meanwhile.
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
      // It waits for transactions that are under way, and nobody waits for it.
      await sql`set lock_timeout = 0`.execute(connection);
      for (const index of indexes) await build(connection, index, 'concurrently ');
    });
  } finally {
    await close();
  }
}

/** Again after it was broken off: what is whole stays, what is not is dropped and built anew. */
async function build(db: Kysely<Schema>, index: NewIndex, how: '' | 'concurrently '): Promise<void> {
  const valid = await isValid(db, index.name);
  if (valid) return;
  if (valid === false) await sql.raw(`drop index ${how}${index.name}`).execute(db);
  await sql.raw(buildStatement(index, how)).execute(db);
}

/** Undefined: there is none. */
async function isValid(db: Kysely<Schema>, name: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident(${name}))`.execute(db);
  return rows[0]?.valid;
}
