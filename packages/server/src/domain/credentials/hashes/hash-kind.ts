/** Finds the key of another service's project by the id that stands in a hash. */
export type FindHashKey = (id: string) => Promise<Buffer | undefined>;

/** A stored hash that was understood. */
export interface ReadHash {
  /** For people: `bcrypt, cost 10`. */
  readonly label: string;
  /** What computing it takes: the same text, the same time. */
  readonly cost: string;
  /** Beyond what one sign-in may cost: nothing matches it, and nothing is computed for it. */
  readonly too_costly: boolean;
  /** Off the event loop. */
  matches(password: string, findKey: FindHashKey): Promise<boolean>;
}

/** One way to hash passwords. */
export interface HashKind {
  /** Undefined: it is of another kind, or broken. */
  read(stored: string): ReadHash | undefined;
  /** A hash of this kind that nobody has the password of, from what stands before its salt. It costs what a real one does. */
  decoy(head: string): string;
}

/** As a PHC string writes bytes: without padding. */
export const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Either alphabet, padded or not. Undefined: it is no base64. */
export const fromBase64 = (text: string): Buffer | undefined =>
  /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1
    ? Buffer.from(text, 'base64')
    : undefined;
