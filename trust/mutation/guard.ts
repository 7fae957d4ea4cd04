/** A guard of the service, and the code without it. */
export interface Guard {
  /** What the guard checks or prevents. */
  readonly name: string;
  /** The file, relative to packages/server/src, as are the tests. */
  readonly file: string;
  /** The code of the guard, which occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** Files and folders in which a test must fail without the guard. */
  readonly tests: readonly string[];
}

/** Whether the words of the command line occur in the name or the file of the guard. */
export const isChosen = ({ name, file }: Guard, words: string): boolean =>
  name.toLowerCase().includes(words) || file.includes(words);
