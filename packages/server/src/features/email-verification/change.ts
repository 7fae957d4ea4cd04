import { type EmailChangeRequest, normalizeEmail } from '@gatehouse/contract';
import { confirmPassword } from '../../domain/authorization/confirm-password.ts';
import { readAuth, requireSecondFactor } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { enqueueMail, NOTICE_LIFETIME, type OutgoingMail } from '../../domain/mail/enqueue.ts';
import { chooseLocale } from '../../domain/mail/templates/render.ts';
import { issueOneTimeToken, LINK_LIFETIME, linkFor } from '../../domain/one-time/issue.ts';
import { mayMail } from '../../domain/one-time/mail-limit.ts';
import { findUserByEmail, lockActiveUser } from '../../domain/users/queries.ts';
import { after } from '../../platform/clock.ts';
import { transact } from '../../platform/db/transact.ts';

const kind = 'email_change';

/**
 * POST /users/me/email (docs/reference/accounts.md#email-verification-and-change): sends a notice to the old address
 * and a link to the new one; only the link changes the email. For an address that is already in use the same rows are
 * written, but its owner gets a notice instead of the link: neither the response nor the caller's own mailbox reveals
 * the difference.
 */
export async function requestEmailChange(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { email: typed, password: given }: EmailChangeRequest,
): Promise<void> {
  const { config, limiter, mail } = deps;
  const { user_id } = session;
  const confirmation = { field: 'password', given, action: 'auth.email.changed', metadata: {} } as const;
  const checked_hash = await confirmPassword(deps, caller, session, confirmation);
  const email = normalizeEmail(typed);
  if (email === session.email) return;
  // Also counted per account: with one stolen password, an attacker must not be able to mail many addresses.
  const byAccount = limiter.counter('mail email change', user_id, config.LIMIT_MAIL_PER_ACCOUNT);
  if (!(await mayMail(deps, caller, { kind: 'change', email }, byAccount))) return;
  const account = await findUserByEmail(deps.db, email);

  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent reset commits before and is seen, or waits and deletes this token.
    const user = await lockActiveUser(tx, user_id);
    if (user?.password_hash !== checked_hash) throw notSignedIn();
    const current = await readAuth(tx, session, now);
    requireSecondFactor(current.session, current.owner);
    if (user.email === email) return;
    const issued = await issueOneTimeToken(tx, { kind, subject: user_id, user_id, email, now });
    const { token, expires_at, mail_id } = issued;
    const locale = chooseLocale(user.locale, config.DEFAULT_LOCALE);
    await enqueueMail(tx, mail, {
      template: 'email_change_notice',
      locale,
      to: user.email,
      params: { new_email: email },
      expires_at: after(now, NOTICE_LIFETIME),
    });
    const link = linkFor(config, kind, token);
    // The notice has no id, so that the end of this token does not cancel it.
    const addressMail: AddressMail = account
      ? { template: 'email_in_use_notice', params: {}, locale: chooseLocale(account.locale, config.DEFAULT_LOCALE) }
      : {
          id: mail_id,
          template: 'email_change_confirm',
          params: { link, new_email: email, hours: LINK_LIFETIME[kind] / 3600 },
          locale,
        };
    await enqueueMail(tx, mail, { ...addressMail, to: email, expires_at });
  });
}

type AddressMail = Pick<
  OutgoingMail<'email_in_use_notice' | 'email_change_confirm'>,
  'id' | 'template' | 'params' | 'locale'
>;
