import { v7 as uuid } from 'uuid';

interface MailedToken {
  readonly token_hash: Buffer;
  readonly created_at: Date;
}

/** Derives the id of the mail from the token in it, so code that voids the token can also cancel the mail. */
export const tokenMailIdOf = ({ token_hash, created_at }: MailedToken): string =>
  uuid({ msecs: created_at.getTime(), random: token_hash.subarray(0, 16) });
