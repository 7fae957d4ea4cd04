import type { Deps } from '../../domain/context.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { findOneTimeToken } from '../../domain/one-time/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

export interface Link {
  readonly kind: 'email_verification' | 'email_change';
  readonly user_id: string;
  readonly email: string;
  readonly token_hash: Buffer;
  readonly now: Date;
}

/** Throws 401 for an unknown, used or expired token, an inactive user, or an email that has changed since. */
export async function requireLink({ db, clock }: Deps, token: string): Promise<Link> {
  const token_hash = hashToken(token);
  const now = clock.now();
  const found = await findOneTimeToken(db, ['email_verification', 'email_change'], token_hash, now);
  if (found?.status !== 'active' || found.email === null) throw invalidLink();
  const kind = found.kind === 'email_change' ? found.kind : 'email_verification';
  if (kind === 'email_verification' && found.email !== found.account_email) throw invalidLink();
  return { kind, user_id: found.user_id, email: found.email, token_hash, now };
}
