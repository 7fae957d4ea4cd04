import { LIMITS } from '@gatehouse/contract';
import type { ActingMember } from '../../domain/authorization/require-permission.ts';
import type { Deps } from '../../domain/context.ts';
import { invitationMailIdOf, type SealedToken } from '../../domain/invitations/invitation-mail-id.ts';
import type { OrganizationRole } from '../../domain/kernel/permissions.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { enqueueMail } from '../../domain/mail/enqueue.ts';
import { cancelMails } from '../../domain/mail/queries.ts';
import { chooseLocale } from '../../domain/mail/templates/render.ts';
import { findUserByEmail } from '../../domain/users/queries.ts';
import { after } from '../../platform/clock.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';

/** Creates a new token. Only its hash is stored. */
export function createToken(now: Date) {
  const token = randomToken();
  return { token, token_hash: hashToken(token), expires_at: after(now, LIMITS.invitation.lifetime) };
}

/** The columns that name the sender: a user, or a service account. */
export function senderOf(principal: Principal): { inviter_id: string | null; service_account_id: string | null } {
  const { actor_id } = actorOf(principal);
  return principal.kind === 'user'
    ? { inviter_id: actor_id, service_account_id: null }
    : { inviter_id: null, service_account_id: actor_id };
}

/** docs/reference/operations.md#mail: a queued mail whose token is no longer valid is dropped. */
export const cancelInvitationMail = (tx: Tx, sealed: SealedToken, now: Date) =>
  cancelMails(tx, { ids: [invitationMailIdOf(sealed)], now });

interface InvitationMail {
  readonly email: string;
  readonly role: OrganizationRole;
  readonly token: string;
  readonly expires_at: Date;
}

/** Only this mail contains the token. Language: that of the invited user, if they have an account, or the inviter's. */
export async function sendInvitation(
  tx: Tx,
  { config, mail }: Deps,
  inviter: ActingMember,
  { email, role, token, expires_at }: InvitationMail,
): Promise<void> {
  const account = await findUserByEmail(tx, email);
  await enqueueMail(tx, mail, {
    id: invitationMailIdOf({ token_hash: hashToken(token), expires_at }),
    template: 'invitation',
    locale: chooseLocale(account?.locale, inviter.locale, config.DEFAULT_LOCALE),
    to: email,
    params: {
      organization_name: inviter.organization_name,
      inviter_email: inviter.email,
      inviter_unverified: inviter.email_verified_at === null,
      ...(inviter.machine && { service_account: inviter.machine.name }),
      role,
      // A link never uses the request's Host header, which the client controls.
      link: `${config.PUBLIC_BASE_URL}/accept-invitation?token=${token}`,
      days: LIMITS.invitation.lifetime / 86_400,
    },
    expires_at,
  });
}
