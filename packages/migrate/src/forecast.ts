import { LOCKS, type Lock } from './effects.ts';
import { faultsOf } from './expand-rule.ts';
import type { History, Migration } from './migration.ts';
import { type Indexes, readMigration, type Step } from './read-migration.ts';
import type { TableSize } from './table-sizes.ts';

export interface Forecast {
  readonly migration: Migration;
  readonly steps: readonly Step[];
  /** Locks of existing tables, strongest first. A table may have several, one after the other. */
  readonly locks: readonly HeldLock[];
  /** The previous version can run during the migration and afterwards. */
  readonly beside: boolean;
}

export interface HeldLock extends TableSize {
  readonly table: string;
  readonly lock: Lock;
  /** Bytes read or written from when the lock is taken until the transaction ends. */
  readonly reads: number;
  readonly writes: number;
}

interface Database {
  readonly sizes: ReadonlyMap<string, TableSize>;
  /** The connections go through a pooler, so indexes cannot be built concurrently. */
  readonly pooled: boolean;
}

/** Returns what pending migrations would do to a database, without running them. */
export function forecast(pending: readonly Migration[], history: History, { sizes, pooled }: Database): Forecast[] {
  const indexes: Indexes = new Map();
  const known = new Map(
    history.migrations.map((migration) => [migration.version, readMigration(migration, indexes, history.kept)]),
  );
  return pending.map((migration) => {
    const read = known.get(migration.version) ?? readMigration(migration, indexes, history.kept);
    const steps = pooled ? read.map(asInTransaction) : read;
    return { migration, steps, locks: locksOf(steps, sizes), beside: faultsOf(migration, history).length === 0 };
  });
}

const asInTransaction = (step: Step): Step => ({
  ...step,
  text: step.text.replace(' concurrently ', ' '),
  effects: step.effects.map((effect) =>
    / concurrently /.test(step.text) ? { ...effect, lock: 'SHARE' as const } : effect,
  ),
});

/** A lock is released at the end of the transaction, so the work of all later statements also prolongs it. */
function locksOf(steps: readonly Step[], sizes: ReadonlyMap<string, TableSize>): HeldLock[] {
  const held: { table: string; lock: Lock; reads: number; writes: number }[] = [];
  const isHeld = (table: string, lock: Lock) =>
    held.some((other) => other.table === table && LOCKS.indexOf(other.lock) >= LOCKS.indexOf(lock));
  for (const { effects } of steps) {
    for (const { table, lock } of effects) if (!isHeld(table, lock)) held.push({ table, lock, reads: 0, writes: 0 });
    for (const { table, work } of effects) {
      if (work !== 'catalog') for (const each of held) each[work] += sizes.get(table)?.bytes ?? 0;
    }
  }
  return held
    .flatMap((each) => {
      const size = sizes.get(each.table);
      return size === undefined ? [] : [{ ...each, ...size }];
    })
    .sort((a, b) => LOCKS.indexOf(b.lock) - LOCKS.indexOf(a.lock) || b.bytes - a.bytes);
}
