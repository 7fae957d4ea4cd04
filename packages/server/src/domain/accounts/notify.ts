import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { enqueueMail, NOTICE_LIFETIME, type OutgoingMail } from '../mail/enqueue.ts';
import type { MailTemplates } from '../mail/templates/params.ts';
import { chooseLocale } from '../mail/templates/render.ts';

type Notice =
  | 'second_factor_guessed'
  | 'password_changed'
  | 'mfa_disabled'
  | 'passkey_added'
  | 'identity_linked'
  | 'unproven_sign_in';

type Recipient = { readonly email: string; readonly locale: string | null };

/** The mail as it would be queued, for a statement that queues it along with the change it tells of. */
export const noticeTo = <N extends Notice>(
  { clock, config }: Deps,
  user: Recipient,
  notice: { template: N; params: MailTemplates[N] },
): OutgoingMail<N> => ({
  ...notice,
  locale: chooseLocale(user.locale, config.DEFAULT_LOCALE),
  to: user.email,
  expires_at: after(clock.now(), NOTICE_LIFETIME),
});

/** To the person it happened to, who may not be the one who did it. */
export const notify = <N extends Notice>(
  tx: Tx,
  deps: Deps,
  user: Recipient,
  notice: { template: N; params: MailTemplates[N] },
) => enqueueMail(tx, deps.mail, noticeTo(deps, user, notice));
