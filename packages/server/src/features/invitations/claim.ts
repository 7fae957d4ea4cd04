import type { Deps } from '../../domain/context.ts';
import { claimInvitation, type OpenInvitation } from '../../domain/invitations/queries.ts';
import { findActiveMembership } from '../../domain/memberships/queries.ts';
import { lockUser, shareUser } from '../../domain/users/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { requireOpen } from './open.ts';
import { conflict } from './refusals.ts';

interface Claim {
  readonly token: string;
  /** As it was before the transaction. Who sent it, and where to, stays the same for as long as its token does. */
  readonly invitation: OpenInvitation;
  /** Who accepts it, if they have an account. */
  readonly user_id?: string;
}

/**
 * Uses up an invitation, once. All that it rests on is held first and then looked at once more: whoever suspends the
 * organization, or removes, demotes or disables its sender, comes before this and is seen, or comes later.
 */
export async function claim(tx: Tx, deps: Deps, { token, invitation, user_id }: Claim): Promise<OpenInvitation> {
  const { organization_id, inviter_id } = invitation;
  // Users before all else and in the order of their ids, as everywhere, so that nobody waits in a circle.
  for (const id of [...new Set([inviter_id, user_id ?? inviter_id])].sort()) {
    await (id === user_id ? lockUser(tx, id) : shareUser(tx, id));
  }
  await findActiveMembership(tx, { organization_id, user_id: inviter_id });
  const found = await requireOpen(tx, deps, token);
  const now = deps.clock.now();
  if (!(await claimInvitation(tx, { id: found.id, token_hash: hashToken(token), now }))) {
    // Somebody was quicker: what they did is said.
    await requireOpen(tx, deps, token);
    throw conflict('the invitation is being accepted by another request');
  }
  return found;
}
