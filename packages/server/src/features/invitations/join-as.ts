import type { InvitationAccepted } from '@gatehouse/contract';
import type { Caller, Deps } from '../../domain/context.ts';
import { findUnprovenCredentials } from '../../domain/credentials/queries.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { markEmailVerified } from '../../domain/users/verified-email.ts';
import { transact } from '../../platform/db/transact.ts';
import { becomeMember } from './become-member.ts';
import { claim } from './claim.ts';

export interface Offer {
  readonly token: string;
  readonly invitation: OpenInvitation;
}

/**
 * Somebody who is signed in with the email that was invited. They have its mailbox, so it is verified with it, unless somebody
 * else may have registered it before them and still know its password.
 */
export async function joinAs(
  deps: Deps,
  caller: Caller,
  { user_id, session_id, auth_method }: SessionState,
  { token, invitation }: Offer,
): Promise<InvitationAccepted> {
  if (invitation.account_id !== user_id) throw notYours();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const claimed = await claim(tx, deps, { token, invitation, user_id });
    if (claimed.account_verified_at === null) {
      // With the password as the only credential, nobody else than the one who signed in with it has a way in.
      const unproven = await findUnprovenCredentials(tx, session_id);
      if (auth_method !== 'password' || unproven.some((kind) => kind !== 'password')) throw verifyFirst();
    }
    if (!(await markEmailVerified(tx, deps, caller, { user_id, email: claimed.email, now, hasSession: true }))) {
      throw notYours();
    }
    return becomeMember(tx, caller, { invitation: claimed, user_id, now });
  });
}

const notYours = () => new ServiceError('forbidden', 'the invitation is for another email; sign in with that email');

const verifyFirst = () =>
  new ServiceError(
    'forbidden',
    'your email is not verified, and someone else may have registered the account: verify the email with the mailed link, or set a new password with "forgot password", then accept',
  );
