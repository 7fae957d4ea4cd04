import { LIMITS } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { type OneTimeKind, upsertOneTimeToken } from './queries.ts';

type LinkKind = Exclude<OneTimeKind, 'login_code'>;

/** How long a link of each kind is valid, in seconds. */
export const LINK_LIFETIME: Record<LinkKind, number> = {
  password_reset: LIMITS.passwordReset.lifetime,
  email_verification: LIMITS.emailVerification.lifetime,
  email_change: LIMITS.emailVerification.lifetime,
};

interface TokenRequest {
  readonly kind: LinkKind;
  readonly subject: string;
  readonly user_id: string | null;
  readonly email: string | null;
  readonly now: Date;
}

interface IssuedToken {
  readonly token: string;
  readonly expires_at: Date;
  readonly mail_id: string;
}

/** Creates a token that replaces any earlier one of its kind. Only its hash is stored. */
export async function issueOneTimeToken(tx: Tx, request: TokenRequest): Promise<IssuedToken> {
  const { now, ...rest } = request;
  const token = randomToken();
  const expires_at = after(now, LINK_LIFETIME[request.kind]);
  const stored = { ...rest, token_hash: hashToken(token), created_at: now, expires_at };
  return { token, expires_at, mail_id: await upsertOneTimeToken(tx, stored) };
}

const PAGES: Record<LinkKind, string> = {
  password_reset: '/reset-password',
  email_verification: '/verify-email',
  email_change: '/verify-email',
};

/** Uses PUBLIC_BASE_URL, because the Host header of a request cannot be trusted. */
export const linkFor = ({ PUBLIC_BASE_URL }: { PUBLIC_BASE_URL: string }, kind: LinkKind, token: string): string =>
  `${PUBLIC_BASE_URL}${PAGES[kind]}?token=${token}`;
