/** A file is not what it should be; the message says in what. */
export class UnreadableFile extends Error {
  /** Undefined: the one that has the users. */
  readonly file: string | undefined;
  constructor(message: string, file?: string) {
    super(message);
    this.file = file;
  }
}
