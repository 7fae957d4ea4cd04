import type { Deps } from '../../domain/context.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { findOneTimeToken } from '../../domain/one-time/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

/** What the token of a mailed link stands for. */
export interface Link {
  readonly kind: 'email_verification' | 'email_change';
  readonly user_id: string;
  readonly email: string;
  readonly token_hash: Buffer;
  readonly now: Date;
}

/** 401 for a token that is none, was used or is too old, of somebody who may not come in, or whose address is another by now. */
export async function requireLink({ db, clock }: Deps, token: string): Promise<Link> {
  const token_hash = hashToken(token);
  const now = clock.now();
  const found = await findOneTimeToken(db, ['email_verification', 'email_change'], token_hash, now);
  if (found?.status !== 'active' || found.email === null) throw invalidLink();
  const kind = found.kind === 'email_change' ? found.kind : 'email_verification';
  if (kind === 'email_verification' && found.email !== found.account_email) throw invalidLink();
  return { kind, user_id: found.user_id, email: found.email, token_hash, now };
}
