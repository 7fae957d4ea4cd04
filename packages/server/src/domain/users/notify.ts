import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import type { Uses } from '../kernel/statements.ts';
import { enqueueMail, NOTICE_LIFETIME, type OutgoingMail, prepareMail } from '../mail/enqueue.ts';
import type { MailTemplates } from '../mail/templates/params.ts';
import { chooseLocale } from '../mail/templates/render.ts';
import { countMails, mailCounter } from '../one-time/mail-limit.ts';
import { noticeAlong } from '../one-time/queries.ts';
import { listPlatformOwners } from './queries.ts';

type Notice =
  | 'second_factor_guessed'
  | 'password_changed'
  | 'mfa_enabled'
  | 'mfa_disabled'
  | 'recovery_codes_replaced'
  | 'recovery_code_used'
  | 'passkey_added'
  | 'passkey_removed'
  | 'identity_linked'
  | 'platform_role_granted'
  | 'platform_role_notice'
  | 'mail_transport_changed'
  | 'unproven_sign_in'
  | 'policy_reset'
  | 'break_glass'
  | 'domain_failing';

export interface Recipient {
  readonly email: string;
  readonly locale: string | null;
}

interface NoticeMail<N extends Notice> {
  readonly template: N;
  readonly params: MailTemplates[N];
}

/** The mail, for a statement that queues it together with the change it reports. */
export const noticeTo = <N extends Notice>(
  { clock, config }: Deps,
  user: Recipient,
  notice: NoticeMail<N>,
): OutgoingMail<N> => ({
  ...notice,
  locale: chooseLocale(user.locale, config.DEFAULT_LOCALE),
  to: user.email,
  expires_at: after(clock.now(), NOTICE_LIFETIME),
});

/** Queues a mail to the owner of the account, who may not be the one who made the change. */
export const notify = <N extends Notice>(tx: Tx, deps: Deps, user: Recipient, notice: NoticeMail<N>) =>
  enqueueMail(tx, deps.mail, noticeTo(deps, user, notice));

/** Like `notify`, unless this address has reached its limit of notices. Counts the mail in the same transaction. */
export async function notifyWithinLimit<N extends Notice>(
  tx: Tx,
  deps: Deps,
  user: Recipient,
  notice: NoticeMail<N>,
): Promise<void> {
  const { size } = await countMails(tx, deps, 'notice', [user.email]);
  if (size > 0) await notify(tx, deps, user, notice);
}

/** `notifyWithinLimit` for a sign-in: must be the first of its `uses`. After the commit, wake the mail worker. */
export const noticeWithinLimit = <N extends Notice>(deps: Deps, user: Recipient, notice: NoticeMail<N>): Uses =>
  noticeAlong({
    counter: mailCounter(deps, 'notice', user.email),
    mail: prepareMail(deps.mail, noticeTo(deps, user, notice)),
    now: deps.clock.now(),
  });

/** More mails at once would delay sign-in codes, which share the queue. */
const MAX_OWNERS_NOTIFIED = 100;

/**
 * Returns the platform owners to notify of a change, without those who have reached their limit of mails about the same
 * subject. Subjects are counted separately, so that an attacker cannot use up the mails before the change that matters.
 */
export async function listOwnersToNotify(
  tx: Tx,
  deps: Deps,
  { about, except }: { about: string; except?: string },
): Promise<Recipient[]> {
  const owners = await listPlatformOwners(tx, { except, limit: MAX_OWNERS_NOTIFIED });
  const allowed = await countMails(
    tx,
    deps,
    'platform',
    owners.map(({ email }) => email),
    about,
  );
  return owners.filter(({ email }) => allowed.has(email));
}
