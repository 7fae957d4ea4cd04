import type { EmailVerifyRequest } from '@gatehouse/contract';
import { markEmailVerified, tellOfEmail } from '../../domain/accounts/verified-email.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { consumeOneTimeToken, deleteOneTimeTokens, findOneTimeToken } from '../../domain/one-time/queries.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { updateEmail } from './queries.ts';

interface Confirmed {
  readonly user_id: string;
  readonly email: string;
  readonly token_hash: Buffer;
  readonly now: Date;
}

/** POST /auth/email/verify: the token of a mailed link → the address is verified, or takes the place of the old one. */
export async function verifyEmail(deps: Deps, caller: Caller, { token }: EmailVerifyRequest): Promise<void> {
  const token_hash = hashToken(token);
  const now = deps.clock.now();
  const found = await findOneTimeToken(deps.db, ['email_verification', 'email_change'], token_hash, now);
  if (found?.status !== 'active' || found.email === null) throw invalidLink();
  const confirmed = { user_id: found.user_id, email: found.email, token_hash, now };

  const confirm = found.kind === 'email_change' ? confirmChange : confirmAddress;
  await transact(deps.db, (tx) => confirm(tx, deps, caller, confirmed)).catch((error: unknown) => {
    if (violatedConstraint(error) !== 'users_email_key') throw error;
    throw new ServiceError('conflict', 'email already registered');
  });
}

async function confirmAddress(tx: Tx, deps: Deps, caller: Caller, confirmed: Confirmed): Promise<void> {
  const verified = await markEmailVerified(tx, deps, caller, confirmed);
  await use(tx, 'email_verification', confirmed);
  if (!verified) throw invalidLink();
}

async function confirmChange(tx: Tx, deps: Deps, caller: Caller, confirmed: Confirmed): Promise<void> {
  const user = await updateEmail(tx, confirmed);
  await use(tx, 'email_change', confirmed);
  if (!user) throw invalidLink();
  // They went to the mailbox that is no longer this account's.
  await deleteOneTimeTokens(tx, user.id, ['password_reset', 'login_code', 'email_verification']);
  await tellOfEmail(tx, deps, caller, 'auth.email.changed', { ...user, now: confirmed.now });
}

async function use(tx: Tx, kind: 'email_verification' | 'email_change', { token_hash, now }: Confirmed): Promise<void> {
  if (!(await consumeOneTimeToken(tx, kind, token_hash, now))) throw invalidLink();
}
