import type { Keyring } from '../../platform/crypto/keyring.ts';
import { MailError } from '../../platform/mail/message.ts';
import type { Outcome } from '../../platform/queue/queue.ts';
import type { ClaimedMail } from './queries.ts';
import { openContent } from './sealed-content.ts';
import type { MailBrand } from './templates/mail-text.ts';
import type { MailTemplates, TemplateName } from './templates/params.ts';
import { isTemplate, type RenderedMail, renderTemplate } from './templates/render.ts';
import type { Outlets } from './transport.ts';

interface Attempt {
  keyring: Keyring;
  outlets: Pick<Outlets, 'current' | 'bound'>;
  site: string;
  brand: MailBrand;
}

/** `transportUnused`: the transport was not used, so the outcome does not change its reported state. */
type MailOutcome = Outcome & { transportUnused?: true };

/** Makes one attempt to send a mail. Every error becomes an outcome whose reason is safe to store. */
export async function attemptMail(mail: ClaimedMail, { keyring, outlets, site, brand }: Attempt): Promise<MailOutcome> {
  // A newer version may have queued the mail, and a replica with that version can send it.
  if (!isTemplate(mail.template)) return { result: 'retry', reason: 'unknown_template', transportUnused: true };
  const content = openContent(keyring, mail.id, mail.sealed);
  // Sealed under another JWT_SECRET: a process that has it can send the mail.
  if (!content) return { result: 'wait', reason: 'unreadable' };
  const { via } = content;
  const outlet = via ? outlets.bound(via) : outlets.current();
  if (!outlet) {
    const reason = 'no_transport';
    return via ? { result: 'failed', reason } : { result: 'retry', reason, pauseSeconds: 1 };
  }
  const rendered = render(mail.template, mail.locale, content.params, { site, brand });
  if (!rendered) return { result: 'failed', reason: 'template_failed' };
  // The address has no account. Everything up to here is the same work as for other mails.
  if (mail.discard) return { result: 'done' };
  const { transport, from } = outlet;
  try {
    await transport.send({ id: mail.id, to: content.to, from, ...rendered }, { idempotencyKey: mail.id });
    return { result: 'done' };
  } catch (error) {
    if (!(error instanceof MailError)) return { result: 'retry', reason: 'unexpected' };
    if (error.permanent) return { result: 'failed', reason: error.reason };
    const pause = error.retryAfter === undefined ? {} : { pauseSeconds: error.retryAfter };
    return { result: 'retry', reason: error.reason, ...pause };
  }
}

/** Returns undefined for parameters of another shape, for example from a much older version. */
function render(
  template: TemplateName,
  locale: string,
  params: Record<string, unknown>,
  around: Pick<Attempt, 'site' | 'brand'>,
): RenderedMail | undefined {
  try {
    return renderTemplate({ template, locale, params: params as MailTemplates[typeof template], ...around });
  } catch {
    return undefined;
  }
}
