import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { shareAccount } from '../machines/queries.ts';
import { findActiveMembership } from '../memberships/queries.ts';
import { shareOrganization } from '../organizations/queries.ts';
import { lockUser, shareUser } from '../users/queries.ts';
import { requireOpen } from './open.ts';
import { claimInvitation, type OpenInvitation } from './queries.ts';
import { conflict } from './refusals.ts';

interface Claim {
  readonly token_hash: Buffer;
  /** Read before the transaction. Inviter and email do not change while the token is valid. */
  readonly invitation: OpenInvitation;
  /** The accepting user, if the account already exists. */
  readonly user_id?: string;
}

/**
 * Consumes an invitation once. Locks everything that it depends on, then checks it again: a concurrent suspension of
 * the organization, or removal, demotion or disabling of the inviter, either commits first and is seen, or waits.
 */
export async function claim(tx: Tx, deps: Deps, { token_hash, invitation, user_id }: Claim): Promise<OpenInvitation> {
  const { organization_id, inviter_id, service_account_id } = invitation;
  // Lock order: users by id, organization, membership or service account, then the invitation (avoids deadlocks).
  const users = new Set([inviter_id, user_id].filter((id) => typeof id === 'string'));
  for (const id of [...users].sort()) {
    await (id === user_id ? lockUser(tx, id) : shareUser(tx, id));
  }
  if (inviter_id !== null) await findActiveMembership(tx, { organization_id, user_id: inviter_id });
  if (service_account_id !== null) {
    await shareOrganization(tx, organization_id);
    await shareAccount(tx, service_account_id);
  }
  const found = await requireOpen(tx, deps, token_hash);
  const now = deps.clock.now();
  if (!(await claimInvitation(tx, { id: found.id, token_hash, now }))) {
    // A concurrent request has consumed the invitation: `requireOpen` throws the error for its new status.
    await requireOpen(tx, deps, token_hash);
    throw conflict('the invitation is being accepted by another request');
  }
  return found;
}
