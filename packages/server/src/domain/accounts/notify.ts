import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { enqueueMail, NOTICE_LIFETIME } from '../mail/enqueue.ts';
import type { MailTemplates } from '../mail/templates/params.ts';
import { chooseLocale } from '../mail/templates/render.ts';

type Notice = 'password_changed' | 'mfa_disabled' | 'passkey_added';

/** To the person it happened to, who may not be the one who did it. */
export const notify = <N extends Notice>(
  tx: Tx,
  deps: Deps,
  user: { email: string; locale: string | null },
  notice: { template: N; params: MailTemplates[N] },
) =>
  enqueueMail(tx, deps.mail, {
    ...notice,
    locale: chooseLocale(user.locale, deps.config.DEFAULT_LOCALE),
    to: user.email,
    expires_at: after(deps.clock.now(), NOTICE_LIFETIME),
  });
