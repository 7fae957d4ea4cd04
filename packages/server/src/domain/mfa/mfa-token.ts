import { LIMITS, type MfaRequired } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { after, seconds } from '../../platform/clock.ts';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { Deps } from '../context.ts';
import { signPrivateToken, verifyPrivateToken } from '../sessions/private-token.ts';

/** A pending sign-in; its row counts the attempts. */
export interface NewMfaToken {
  readonly jti: string;
  readonly created_at: Date;
  readonly kept_until: Date;
}

interface PendingClaims {
  readonly user_id: string;
  readonly organization_id: string;
  readonly first_factor: FirstFactor | null;
  /** The connection of single sign-on that the session will belong to. */
  readonly connection_id: string | null;
}

/** §2.1: a pending sign-in: the response with its token, and the row that counts its attempts. */
export function prepareMfaToken(deps: Deps, pending: PendingClaims): { answer: MfaRequired; row: NewMfaToken } {
  const now = deps.clock.now();
  const { lifetime } = LIMITS.mfaToken;
  const iat = seconds(now);
  const jti = uuid();
  const { user_id: sub, organization_id: org, first_factor, connection_id } = pending;
  const claims = { sub, org, first_factor, ...(connection_id && { connection_id }), jti, iat, exp: iat + lifetime };
  return {
    answer: {
      status: 'mfa_required',
      mfa_token: signPrivateToken(deps.keyring, 'mfa', claims),
      mfa_token_expires_in: lifetime,
    },
    row: { jti, created_at: now, kept_until: after(now, lifetime) },
  };
}

export interface MfaToken extends PendingClaims {
  readonly jti: string;
  readonly expires_at: Date;
}

/**
 * Returns undefined unless the token is authentic. It may have expired, but not longer ago than its lifetime: late
 * attempts are audited, and an old token must not fill the audit trail. Attempts are counted in the database.
 */
export function readMfaToken({ keyring, clock }: Deps, token: string): MfaToken | undefined {
  const claims = verifyPrivateToken(keyring, 'mfa', token, seconds(clock.now()) - LIMITS.mfaToken.lifetime);
  if (!claims) return undefined;
  const { sub, org, jti, exp } = claims;
  // Tokens of the previous version have no `first_factor`.
  const first_factor = (claims.first_factor as FirstFactor | undefined) ?? null;
  const connection_id = (claims.connection_id as string | undefined) ?? null;
  return { user_id: sub, organization_id: org!, first_factor, connection_id, jti, expires_at: new Date(exp * 1000) };
}
