import type { EmailVerifyRequest } from '@gatehouse/contract';
import { markEmailVerified, tellOfEmail } from '../../domain/accounts/verified-email.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { consumeOneTimeToken, deleteOneTimeTokens } from '../../domain/one-time/queries.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { type Link, requireLink } from './link.ts';
import { updateEmail } from './queries.ts';

/** POST /auth/email/verify: the token of a mailed link → the address is verified, or takes the place of the old one. */
export async function verifyEmail(deps: Deps, caller: Caller, { token }: EmailVerifyRequest): Promise<void> {
  const link = await requireLink(deps, token);

  const confirm = link.kind === 'email_change' ? confirmChange : confirmAddress;
  await transact(deps.db, (tx) => confirm(tx, deps, caller, link)).catch((error: unknown) => {
    if (violatedConstraint(error) !== 'users_email_key') throw error;
    throw new ServiceError('conflict', 'email already registered');
  });
}

async function confirmAddress(tx: Tx, deps: Deps, caller: Caller, link: Link): Promise<void> {
  const verified = await markEmailVerified(tx, deps, caller, link);
  await use(tx, link);
  if (!verified) throw invalidLink();
}

async function confirmChange(tx: Tx, deps: Deps, caller: Caller, link: Link): Promise<void> {
  const user = await updateEmail(tx, link);
  await use(tx, link);
  if (!user) throw invalidLink();
  // They went to the mailbox that is no longer this account's.
  await deleteOneTimeTokens(tx, user.id, ['password_reset', 'login_code', 'email_verification']);
  await tellOfEmail(tx, deps, caller, 'auth.email.changed', { ...user, now: link.now });
}

async function use(tx: Tx, { kind, token_hash, now }: Link): Promise<void> {
  if (!(await consumeOneTimeToken(tx, kind, token_hash, now))) throw invalidLink();
}
