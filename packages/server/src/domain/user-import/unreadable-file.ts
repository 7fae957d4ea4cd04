/** A file has the wrong content; the message says why. */
export class UnreadableFile extends Error {
  /** The path of the file; undefined for the file with the users. */
  readonly file: string | undefined;
  constructor(message: string, file?: string) {
    super(message);
    this.file = file;
  }
}
