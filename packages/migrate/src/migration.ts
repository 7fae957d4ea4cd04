interface Numbered {
  readonly version: number;
  readonly name: string;
  /**
   * Unset: the previous version can run at the same time. Set: removes or forbids what the program has not used since
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
 * Other statements for a table queue behind a migration that waits for it. So a migration waits for less time than they
 * usually may, releases its locks, lets them through and retries. It also waits for less than the second after which
 * PostgreSQL looks for deadlocks: of a migration and a transaction that wait for each other, the migration gives way.
 */
export const LOCK_WAIT = '500ms';

export interface Release {
  readonly version: string;
  /** The version of the release's last migration. Migrations up to it are never edited again. */
  readonly schema: number;
}

/** What a program knows about its schema: a single migration is checked against it. */
export interface History {
  readonly migrations: readonly Migration[];
  /** Oldest first. */
  readonly releases: readonly Release[];
  /** Tables whose rows are never deleted: a foreign key to one of them needs no `on delete`. */
  readonly kept: readonly string[];
}
