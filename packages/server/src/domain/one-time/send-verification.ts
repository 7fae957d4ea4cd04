import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { enqueueMail } from '../mail/enqueue.ts';
import { chooseLocale } from '../mail/templates/render.ts';
import { issueOneTimeToken, LINK_LIFETIME, linkFor } from './issue.ts';

interface Recipient {
  readonly id: string;
  readonly email: string;
  readonly locale: string | null;
}

/** Mails a link to the current address; an earlier link becomes invalid. */
export async function sendVerification(tx: Tx, deps: Deps, user: Recipient): Promise<void> {
  const kind = 'email_verification';
  const now = deps.clock.now();
  const { token, expires_at, mail_id } = await issueOneTimeToken(tx, {
    kind,
    subject: user.id,
    user_id: user.id,
    email: user.email,
    now,
  });
  await enqueueMail(tx, deps.mail, {
    id: mail_id,
    template: 'verify_email',
    locale: chooseLocale(user.locale, deps.config.DEFAULT_LOCALE),
    to: user.email,
    params: { link: linkFor(deps.config, kind, token), hours: LINK_LIFETIME[kind] / 3600 },
    expires_at,
  });
}
