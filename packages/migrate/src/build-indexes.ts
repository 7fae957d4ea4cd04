import { type Connection, type Queries, select } from './connection.ts';
import { LOCK_WAIT, type NewIndex } from './migration.ts';
import { buildStatement } from './read-migration.ts';

/**
 * `connect`: builds concurrently on a separate connection, while the transaction only has the migration lock.
 * `inside`: builds in the transaction. Behind a pooler nothing else is possible: a concurrent build needs a statement
 * without timeout outside of a transaction, and there the timeout can be lifted only within a transaction. The table is
 * not writable during such a build.
 */
type Place = { connect(): Promise<Connection> } | { inside: Queries };

export async function buildIndexes(place: Place, indexes: readonly NewIndex[]): Promise<void> {
  if ('inside' in place) {
    for (const index of indexes) await build(place.inside, index, '');
    return;
  }
  const connection = await place.connect();
  try {
    await connection.query('set statement_timeout = 0');
    for (const index of indexes) await buildConcurrently(connection, index);
  } finally {
    await connection.end();
  }
}

async function buildConcurrently(db: Queries, index: NewIndex): Promise<void> {
  const [table] = /^\w+/.exec(index.on) ?? [''];
  if (await isPartitioned(db, table)) return buildOnPartitions(db, index, table);
  // The build waits for running transactions, and nothing waits for it.
  await db.query('set lock_timeout = 0');
  await build(db, index, 'concurrently ');
}

/**
 * PostgreSQL cannot build an index of a partitioned table concurrently. So it is declared for the table, without
 * building it, built for one partition after the other, and attached; then it is valid. Partitions that are created
 * meanwhile have it from the start. Declaring and attaching take locks that writes wait for, so they wait only briefly
 * for them; the whole migration is retried.
 */
async function buildOnPartitions(db: Queries, index: NewIndex, table: string): Promise<void> {
  await db.query(`set lock_timeout = '${LOCK_WAIT}'`);
  if ((await isValid(db, index.name)) === undefined) {
    await db.query(buildStatement({ ...index, on: `only ${index.on}` }, ''));
  }
  for (const partition of await listPartitionsWithout(db, index.name, table)) {
    const part = { ...index, name: index.name.replace(table, partition), on: index.on.replace(table, partition) };
    await buildConcurrently(db, part);
    await db.query(`set lock_timeout = '${LOCK_WAIT}'`);
    await db.query(`alter index ${index.name} attach partition ${part.name}`);
  }
}

async function isPartitioned(db: Queries, table: string): Promise<boolean> {
  const text = `select from pg_class where oid = to_regclass(quote_ident($1)) and relkind = 'p'`;
  return (await select(db, text, [table])).length > 0;
}

async function listPartitionsWithout(db: Queries, index: string, table: string): Promise<string[]> {
  const rows = await select<{ name: string }>(
    db,
    `select part.relname as name from pg_inherits i join pg_class part on part.oid = i.inhrelid
    where i.inhparent = to_regclass(quote_ident($1)) and not exists (
      select from pg_inherits attached join pg_index built on built.indexrelid = attached.inhrelid
      where attached.inhparent = to_regclass(quote_ident($2)) and built.indrelid = part.oid)
    order by part.relname`,
    [table, index],
  );
  return rows.map(({ name }) => name);
}

/** Can be repeated after an interruption: keeps a valid index, and drops and rebuilds an invalid one. */
async function build(db: Queries, index: NewIndex, how: '' | 'concurrently '): Promise<void> {
  const valid = await isValid(db, index.name);
  if (valid) return;
  if (valid === false) await db.query(`drop index ${how}${index.name}`);
  await db.query(buildStatement(index, how));
}

async function isValid(db: Queries, name: string): Promise<boolean | undefined> {
  const rows = await select<{ valid: boolean }>(
    db,
    'select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident($1))',
    [name],
  );
  return rows[0]?.valid;
}
