import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { after } from '../../platform/clock.ts';

/** The token of an invitation as the database knows it. */
export interface SealedToken {
  readonly token_hash: Buffer;
  readonly expires_at: Date;
}

/** The mail's id follows from the token in it: whoever voids the token knows which mail to call back. */
export const letterIdOf = ({ token_hash, expires_at }: SealedToken): string =>
  uuid({ msecs: after(expires_at, -LIMITS.invitation.lifetime).getTime(), random: token_hash.subarray(0, 16) });
