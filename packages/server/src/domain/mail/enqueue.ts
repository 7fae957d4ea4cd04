import { v7 as uuidv7 } from 'uuid';
import type { Tx } from '../../platform/db/connect.ts';
import { afterCommit } from '../../platform/db/transact.ts';
import { insertMail, type NewMail } from './queries.ts';
import type { MailQueue } from './queue.ts';
import { sealContent } from './sealed-content.ts';
import type { MailTemplates, TemplateName } from './templates/params.ts';
import type { Locale } from './templates/render.ts';
import type { BoundTransport } from './transport.ts';

export interface OutgoingMail<Name extends TemplateName> {
  /** A known id, so that `cancelMails` can cancel the mail. Left out: a new one. */
  id?: string;
  template: Name;
  /** The language of the user, of the inviter, or DEFAULT_LOCALE; see `chooseLocale`. */
  locale: Locale;
  to: string;
  params: MailTemplates[Name];
  /** When the content becomes invalid: a mail that is still queued then is dropped. */
  expires_at: Date;
  /** The transport that must send it. Left out: the one that is active when the mail is sent. */
  via?: BoundTransport;
  /** The address has no account: the mail is queued, so that the request costs the same, and the worker discards it. */
  discard?: boolean;
}

/** Seconds. A later notice would alarm the user more than it helps. */
export const NOTICE_LIFETIME = 3 * 86_400;

export function prepareMail<Name extends TemplateName>(
  { clock, keyring }: Pick<MailQueue, 'clock' | 'keyring'>,
  mail: OutgoingMail<Name>,
): NewMail {
  const now = clock.now();
  const id = mail.id ?? uuidv7({ msecs: now.getTime() });
  return {
    id,
    template: mail.template,
    locale: mail.locale,
    sealed: sealContent(keyring, id, { to: mail.to, params: { ...mail.params }, via: mail.via }),
    created_at: now,
    expires_at: mail.expires_at,
    discard: mail.discard ?? false,
  };
}

/** Queues a mail in the transaction of the change it reports. Returns its id. */
export async function enqueueMail<Name extends TemplateName>(
  tx: Tx,
  queue: Pick<MailQueue, 'clock' | 'keyring' | 'wake'>,
  mail: OutgoingMail<Name>,
): Promise<string> {
  const row = prepareMail(queue, mail);
  await insertMail(tx, row);
  afterCommit(tx, () => queue.wake());
  return row.id;
}
