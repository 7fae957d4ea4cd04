import type { InvitationStatus } from '@gatehouse/contract';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Db } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { hasPermission, ranksAtLeast } from '../kernel/permissions.ts';
import { findByToken } from '../limits/failed-attempts.ts';
import { findInvitationByToken, type OpenInvitation } from './queries.ts';
import { conflict, noSuchInvitation } from './refusals.ts';

const ENDED: Record<Exclude<InvitationStatus, 'pending'>, string> = {
  accepted: 'the invitation has been accepted',
  revoked: 'the invitation has been revoked',
  expired: 'the invitation has expired; ask for a new invitation',
};

/**
 * §4.8: 404 for an unknown token, 409 for an ended invitation. An invitation is valid only while its inviter could
 * still send it, so that a removed or demoted member cannot bring anyone in.
 */
export async function requireOpen(db: Db, { clock }: Deps, token_hash: Buffer): Promise<OpenInvitation> {
  const found = await findInvitationByToken(db, { token_hash, now: clock.now() });
  if (!found) throw noSuchInvitation();
  if (found.status !== 'pending') throw conflict(ENDED[found.status]);
  if (found.suspended_at !== null) throw conflict('the organization is suspended');
  const { inviter_role, inviter_held, role } = found;
  const mayInvite =
    inviter_role !== null &&
    hasPermission({ role: inviter_role, held: inviter_held }, 'members.invite') &&
    ranksAtLeast(inviter_role, role);
  if (!mayInvite) {
    throw conflict('the inviter may no longer invite users; ask for a new invitation');
  }
  return found;
}

interface Attempt {
  readonly token: string;
  readonly trust_hash: Buffer | undefined;
}

/** `requireOpen` for a request: an invalid token counts as a failed attempt of the client address. */
export const requireOpenOf = (deps: Deps, caller: Caller, { token, trust_hash }: Attempt): Promise<OpenInvitation> =>
  findByToken(deps, caller, {
    find: () => requireOpen(deps.db, deps, hashToken(token)),
    refusal: 'not_found',
    ownerOf: ({ account_id }) => account_id,
    trust_hash,
  });

export const isOpenAlready = (error: unknown): boolean => violatedConstraint(error) === 'invitations_open_key';
