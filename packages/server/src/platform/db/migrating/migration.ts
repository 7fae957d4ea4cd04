interface Numbered {
  readonly version: number;
  readonly name: string;
  /**
   * Left out: the version before can run beside it. Otherwise it takes away, or forbids, what the service has done without since that
   * release, so that the version before does without it too. `expand-rule.ts` tells what needs it.
   */
  readonly contracts?: { readonly since: string; readonly what: string };
}

/** All in one transaction. */
interface SqlMigration extends Numbered {
  readonly sql: string;
}

/** Built while people read and write the table. */
interface IndexMigration extends Numbered {
  readonly indexes: readonly NewIndex[];
}

export interface NewIndex {
  readonly name: string;
  /** The table and what follows: `users (email) where status = 'active'`. */
  readonly on: string;
  readonly unique?: boolean;
}

/** Either of them: what is done by halves could not be done again. */
export type Migration = SqlMigration | IndexMigration;
