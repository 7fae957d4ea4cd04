import type { InvitationAccepted, InvitationAcceptRequest } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { requireOpenOf } from '../../domain/invitations/open.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { userSession } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { joinAs } from './join-as.ts';
import { joinByMail } from './join-by-mail.ts';
import { registerInvited } from './register-invited.ts';

interface Attempt extends Omit<InvitationAcceptRequest, 'locale'> {
  /** The locale of a new account. */
  readonly locale: string | null;
  readonly trust_hash: Buffer | undefined;
}

/**
 * POST /auth/invitations/accept: with a session of the invited email → member; without an account of that email → a new
 * account, signed in. The token never signs in to an existing account nor changes its password: its user signs in
 * first. A user who cannot sign in, for lack of an active organization, becomes a member by the token alone.
 */
export async function accept(
  deps: Deps,
  caller: Caller,
  { token, password, display_name, locale, trust_hash }: Attempt,
): Promise<InvitationAccepted | SignedIn> {
  const invitation = await requireOpenOf(deps, caller, { token, trust_hash });
  const session = userSession(caller.principal);
  if (session) return joinAs(deps, caller, session, { token, invitation });
  if (invitation.account_id !== null) return joinByMail(deps, caller, invitation.account_id, { token, invitation });
  if (password === undefined) throw new ServiceError('invalid_input', 'password: is required');
  return registerInvited(deps, caller, { token, invitation, password, display_name, locale });
}
