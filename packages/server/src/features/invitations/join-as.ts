import type { InvitationAccepted } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { markEmailVerified } from '../../domain/endings/verified-email.ts';
import { claim } from '../../domain/invitations/claim.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import { joinByInvitation } from '../../domain/joining/join.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { requireMethod } from '../../domain/policy/refusal.ts';
import { findUnprovenCredentials } from '../../domain/unproven/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';

export interface Offer {
  readonly token: string;
  readonly invitation: OpenInvitation;
}

/**
 * Accepts as a user who is signed in with the invited email. The token proves that they own the mailbox, so the email
 * becomes verified, unless someone else may have registered the account and still have a credential for it.
 */
export async function joinAs(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { token, invitation }: Offer,
): Promise<InvitationAccepted> {
  const { user_id, session_id, first_factor } = session;
  if (invitation.account_id !== user_id) throw notYours();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const claimed = await claim(tx, deps, { token_hash: hashToken(token), invitation, user_id });
    const { email, domains } = claimed;
    requireMethod(claimed.policy, { first_factor, email, domains });
    if (claimed.account_verified_at === null) {
      // If the password is the only credential, only this user, who signed in with it, has access.
      const unproven = await findUnprovenCredentials(tx, session_id);
      if (first_factor !== 'password' || unproven.some((kind) => kind !== 'password')) throw verifyFirst();
    }
    if (!(await markEmailVerified(tx, deps, caller, { user_id, email: claimed.email, now, hasSession: true }))) {
      throw notYours();
    }
    return joinByInvitation(tx, caller, { invitation: claimed, user_id, now });
  });
}

const notYours = () => new ServiceError('forbidden', 'the invitation is for another email; sign in with that email');

const verifyFirst = () =>
  new ServiceError(
    'forbidden',
    'your email is not verified, and someone else may have registered the account: verify the email with the mailed link, or set a new password with "forgot password", then accept',
  );
