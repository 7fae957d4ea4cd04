import { seconds } from '../../../platform/clock.ts';
import type { Keyring, MasterKey } from '../../../platform/crypto/keyring.ts';
import { hmac, uuidFrom } from '../../../platform/crypto/tokens.ts';
import { signPrivateToken, verifyPrivateToken } from '../private-token.ts';

export interface RefreshClaims {
  readonly sub: string;
  readonly sid: string;
  readonly jti: string;
}

interface Times {
  readonly issued_at: Date;
  readonly expires_at: Date;
}

/** Deterministic: the same claims and times give the same token, so a successor can be created again. */
export const signRefreshToken = (keyring: Keyring, { sub, sid, jti }: RefreshClaims, times: Times): string =>
  signPrivateToken(keyring, 'refresh', {
    sub,
    sid,
    jti,
    iat: seconds(times.issued_at),
    exp: seconds(times.expires_at),
  });

/** Returns undefined unless the token is authentic and has not expired. The database knows whether it was used. */
export function verifyRefreshToken(keyring: Keyring, token: string, now: Date): RefreshClaims | undefined {
  const claims = verifyPrivateToken(keyring, 'refresh', token, seconds(now));
  return claims && { sub: claims.sub, sid: claims.sid!, jti: claims.jti };
}

/**
 * docs/reference/sessions.md#refresh: a token has exactly one successor, derived from the token and the server's
 * secret.
 */
export const successorOf = ({ current }: Keyring, jti: string): string => derive(current, jti);

/** Also accepts the successor derived from the previous secret. */
export const isSuccessor = ({ current, previous }: Keyring, jti: string, next: string): boolean =>
  next === derive(current, jti) || (previous !== undefined && next === derive(previous, jti));

const derive = (key: MasterKey, jti: string): string => uuidFrom(hmac(key.derive('refresh-successor'), jti));
