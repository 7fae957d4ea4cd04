/** A guard of the service, and the code without it. */
export interface Guard {
  /** What it checks or prevents. */
  readonly name: string;
  /** Below packages/server/src, as are the tests. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** Files and folders in which a test must fail without it. */
  readonly tests: readonly string[];
}
