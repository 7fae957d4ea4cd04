interface Numbered {
  readonly version: number;
  readonly name: string;
  /**
   * Unset: the previous version can run at the same time. Set: removes or forbids what the service has not used since
   * that release, so that the previous version does not need it either. `expand-rule.ts` checks this.
   */
  readonly contracts?: { readonly since: string; readonly what: string };
}

/** Runs in one transaction. */
interface SqlMigration extends Numbered {
  readonly sql: string;
  readonly indexes?: never;
}

/** Builds indexes without blocking reads and writes of the table. */
interface IndexMigration extends Numbered {
  readonly indexes: readonly NewIndex[];
  readonly sql?: never;
}

export interface NewIndex {
  readonly name: string;
  /** The text after `on`: `users (email) where status = 'active'`. */
  readonly on: string;
  readonly unique?: boolean;
}

/** A migration has either SQL or indexes, not both: if it failed halfway, it could not be repeated. */
export type Migration = SqlMigration | IndexMigration;

/**
 * Requests for a table queue behind a migration that waits for it. So a migration waits for less time than requests do
 * (5 seconds: `LIMITS`), releases its locks, lets them through and retries. It also waits for less than the second
 * after which PostgreSQL looks for deadlocks: of a migration and a request that wait for each other, the migration
 * gives way.
 */
export const LOCK_WAIT = '500ms';
