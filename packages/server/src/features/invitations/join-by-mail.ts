import type { InvitationAccepted } from '@gatehouse/contract';
import type { Caller, Deps } from '../../domain/context.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { becomeMember } from './become-member.ts';
import { claim } from './claim.ts';
import type { Offer } from './join-as.ts';
import { accountExists } from './refusals.ts';

/**
 * Somebody with an account and no organization to sign in to: removed from all, or they are suspended. They could neither sign
 * in nor register, and would be locked out for good. The token shows that the mailbox is theirs; nobody is signed in by it.
 */
export async function joinByMail(
  deps: Deps,
  caller: Caller,
  user_id: string,
  { token, invitation }: Offer,
): Promise<InvitationAccepted> {
  // Most can sign in: they wait for nobody.
  if (!isLockedOut(invitation, user_id)) throw accountExists();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const claimed = await claim(tx, deps, { token, invitation, user_id });
    if (!isLockedOut(claimed, user_id)) throw accountExists();
    return becomeMember(tx, caller, { invitation: claimed, user_id, now });
  });
}

/** An email that was never verified may be somebody else's registration: a password reset comes first, and verifies it. */
const isLockedOut = (
  { account_id, account_status, account_verified_at, account_can_sign_in }: OpenInvitation,
  user_id: string,
): boolean =>
  account_id === user_id && account_status === 'active' && account_verified_at !== null && !account_can_sign_in;
