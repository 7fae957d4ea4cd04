import { LIMITS } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import { tokenMailIdOf } from '../mail/token-mail-id.ts';

export interface SealedToken {
  readonly token_hash: Buffer;
  readonly expires_at: Date;
}

export const invitationMailIdOf = ({ token_hash, expires_at }: SealedToken): string =>
  tokenMailIdOf({ token_hash, created_at: after(expires_at, -LIMITS.invitation.lifetime) });
