import { LIMITS, type MfaRequired } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { seconds } from '../../platform/clock.ts';
import type { Deps } from '../context.ts';
import { signPrivateToken } from '../sessions/private-token.ts';

/** §2.1: the first half of a sign-in. It remembers where the second half will lead. */
export function issueMfaToken(deps: Deps, user: { id: string; organization_id: string }): MfaRequired {
  const iat = seconds(deps.clock.now());
  const { lifetime } = LIMITS.mfaToken;
  const claims = { sub: user.id, org: user.organization_id, jti: uuid(), iat, exp: iat + lifetime };
  return {
    status: 'mfa_required',
    mfa_token: signPrivateToken(deps.keyring, 'mfa', claims),
    mfa_token_expires_in: lifetime,
  };
}
