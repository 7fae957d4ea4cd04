import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { after } from '../../platform/clock.ts';

export interface SealedToken {
  readonly token_hash: Buffer;
  readonly expires_at: Date;
}

/** Derives the id of the mail from the token in it, so code that voids the token can also cancel the mail. */
export const invitationMailIdOf = ({ token_hash, expires_at }: SealedToken): string =>
  uuid({ msecs: after(expires_at, -LIMITS.invitation.lifetime).getTime(), random: token_hash.subarray(0, 16) });
