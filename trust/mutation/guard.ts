/** A guard of the service, and what the code looks like without it. */
export interface Guard {
  /** What it keeps out. */
  readonly name: string;
  /** Below packages/server/src, as are the tests. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** Files and folders in which a test must fail without it. */
  readonly tests: readonly string[];
}
