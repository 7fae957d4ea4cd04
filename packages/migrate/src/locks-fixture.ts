import { type Queries, select } from './connection.ts';
import { type Effect, LOCKS, type Lock } from './effects.ts';
import type { Step } from './read-migration.ts';

type Locks = Record<string, Lock>;

const strongest = (a: Lock | undefined, b: Lock): Lock =>
  a !== undefined && LOCKS.indexOf(a) > LOCKS.indexOf(b) ? a : b;

/** The locks that the reader predicts. */
export function predictedLocks(steps: readonly Step[]): Locks {
  const locks: Locks = {};
  for (const { table, lock } of steps.flatMap((step): readonly Effect[] => step.effects)) {
    locks[table] = strongest(locks[table], lock);
  }
  return locks;
}

interface TableState {
  readonly oid: number;
  /** The name of the table; for a partition, that of its root table. */
  readonly name: string;
  readonly file: number;
  readonly scans: number;
}

export const listTableStates = (queries: Queries): Promise<TableState[]> =>
  select<TableState>(
    queries,
    `select part.oid, whole.relname as name, pg_stat_get_xact_numscans(part.oid)::int as scans,
      coalesce(pg_relation_filenode(part.oid), 0)::int as file
    from pg_class part join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind in ('r', 'p') and part.relnamespace = quote_ident(current_schema())::regnamespace`,
  );

/** The locks that the transaction holds on tables that existed before. */
export async function actualLocks(queries: Queries, before: readonly TableState[]): Promise<Locks> {
  const rows = await select<{ oid: number; mode: string }>(
    queries,
    `select relation as oid, mode from pg_locks where locktype = 'relation' and pid = pg_backend_pid() and granted`,
  );
  const locks: Locks = {};
  for (const { oid, mode } of rows) {
    const name = before.find((table) => table.oid === oid)?.name;
    const lock = mode
      .replace(/Lock$/, '')
      .replace(/(?!^)(?=[A-Z])/g, ' ')
      .toUpperCase() as Lock;
    if (name !== undefined) locks[name] = strongest(locks[name], lock);
  }
  return locks;
}
