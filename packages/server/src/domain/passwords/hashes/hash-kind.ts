/** Finds the signer key of an imported Firebase project by the id in the hash. */
export type FindHashKey = (id: string) => Promise<Buffer | undefined>;

export interface ReadHash {
  /** The kind and cost for reports, such as `bcrypt, cost 10`. */
  readonly label: string;
  /** Stands for the time that a verification takes: hashes with the same text take the same time. */
  readonly cost: string;
  /** Whether a verification would take too long for a sign-in: such a hash is never computed and never matches. */
  readonly too_costly: boolean;
  /** Verifies a password without blocking the event loop. */
  matches(password: string, findKey: FindHashKey): Promise<boolean>;
}

export interface HashKind {
  /** Returns undefined if the hash is of another kind or malformed. */
  read(stored: string): ReadHash | undefined;
  /** A random hash of this kind with the given head (the text before the salt). It costs the same as a real one. */
  decoy(head: string): string;
}

/** Base64 without padding, as in PHC strings. */
export const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Accepts base64 and base64url, with or without padding. Returns undefined if the text is neither. */
export const fromBase64 = (text: string): Buffer | undefined =>
  /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1
    ? Buffer.from(text, 'base64')
    : undefined;
