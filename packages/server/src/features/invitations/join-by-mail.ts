import type { InvitationAccepted } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { claim } from '../../domain/invitations/claim.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import { accountExists } from '../../domain/invitations/refusals.ts';
import { joinByInvitation } from '../../domain/joining/join.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { policyRefused, requiresSso } from '../../domain/policy/refusal.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';
import type { Offer } from './join-as.ts';

/**
 * Accepts the invitation for an account without an active organization, whose user can neither sign in nor register and
 * would be locked out permanently. The token proves that they own the mailbox; it does not sign them in.
 */
export async function joinByMail(
  deps: Deps,
  caller: Caller,
  user_id: string,
  { token, invitation }: Offer,
): Promise<InvitationAccepted> {
  // Checked before any lock is taken, because most users can sign in and are rejected here.
  if (!isLockedOut(invitation, user_id)) throw accountExists();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const claimed = await claim(tx, deps, { token_hash: hashToken(token), invitation, user_id });
    if (!isLockedOut(claimed, user_id)) throw accountExists();
    // If single sign-on is required, signing in with it accepts the invitation; the mailed link does not.
    if (requiresSso(claimed.policy, claimed)) throw policyRefused('sso_required');
    return joinByInvitation(tx, caller, { invitation: claimed, user_id, now });
  });
}

/** An unverified email may have been registered by someone else: it needs a password reset first, which verifies it. */
const isLockedOut = (
  { account_id, account_status, account_verified_at, account_can_sign_in }: OpenInvitation,
  user_id: string,
): boolean =>
  account_id === user_id && account_status === 'active' && account_verified_at !== null && !account_can_sign_in;
