import type { EmailVerifyRequest } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { markEmailVerified, notifyOfEmail } from '../../domain/endings/verified-email.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findByToken } from '../../domain/limits/failed-attempts.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { consumeOneTimeToken, deleteOneTimeTokens } from '../../domain/one-time/queries.ts';
import { lockUser, updateEmail } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { type Link, requireLink } from './link.ts';

/** The request body, and the session of the request, if any: see `isOwnerStrict`. */
interface Given extends EmailVerifyRequest {
  readonly session: SessionState | undefined;
  readonly trust_hash: Buffer | undefined;
}

/** POST /auth/email/verify: verifies or replaces the address. `disown`: see `removeUnproven`. */
export async function verifyEmail(
  deps: Deps,
  caller: Caller,
  { token, disown = false, session, trust_hash }: Given,
): Promise<void> {
  const link = await findByToken(deps, caller, {
    find: () => requireLink(deps, token),
    refusal: 'authentication_required',
    ownerOf: (found) => found.user_id,
    trust_hash,
  });
  const hasSession = session?.user_id === link.user_id;

  const confirm = (tx: Tx) => {
    if (link.kind === 'email_verification') return confirmAddress(tx, deps, caller, { ...link, disown, hasSession });
    return disown ? voidChange(tx, link) : confirmChange(tx, deps, caller, link);
  };
  await transact(deps.db, confirm).catch((error: unknown) => {
    if (violatedConstraint(error) !== 'users_email_key') throw error;
    throw new ServiceError('conflict', 'email already registered');
  });
}

type Confirmation = Link & { readonly disown: boolean; readonly hasSession: boolean };

async function confirmAddress(tx: Tx, deps: Deps, caller: Caller, { disown, ...link }: Confirmation): Promise<void> {
  // Lock order: user, then token. The token is consumed before `disown` deletes all tokens of the user.
  await lockUser(tx, link.user_id);
  await consumeLink(tx, link);
  const removal = disown ? { resetPolicies: true } : undefined;
  const verified = await markEmailVerified(tx, deps, caller, { ...link, disown: removal });
  if (!verified) throw invalidLink();
}

/** The owner of the new mailbox rejects the change, so the link is consumed without effect. */
async function voidChange(tx: Tx, link: Link): Promise<void> {
  await lockUser(tx, link.user_id);
  await consumeLink(tx, link);
}

async function confirmChange(tx: Tx, deps: Deps, caller: Caller, link: Link): Promise<void> {
  const user = await updateEmail(tx, link);
  await consumeLink(tx, link);
  if (!user) throw invalidLink();
  // These tokens were sent to the old mailbox.
  await deleteOneTimeTokens(tx, user.id, ['password_reset', 'login_code', 'email_verification'], link.now);
  await notifyOfEmail(tx, deps, caller, 'auth.email.changed', { ...user, now: link.now });
}

async function consumeLink(tx: Tx, { kind, token_hash, now }: Link): Promise<void> {
  if (!(await consumeOneTimeToken(tx, kind, token_hash, now))) throw invalidLink();
}
