import { NIL_UUID } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { isOver, updateCounters } from '../../platform/limiter/queries.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import { type Caller, SYSTEM } from '../kernel/caller.ts';
import { enqueueMail, NOTICE_LIFETIME } from '../mail/enqueue.ts';
import { chooseLocale } from '../mail/templates/render.ts';
import { listOwners } from '../memberships/queries.ts';
import { countMails } from '../one-time/mail-limit.ts';
import { findOrganization } from '../organizations/queries.ts';
import { listPlatformOwners } from '../users/queries.ts';
import { closeSpan, listWebhooksOf, updateWebhook, type WebhookRow } from './queries.ts';

type DisableDeps = Pick<Deps, 'mail' | 'limiter' | 'config' | 'clock'>;

/** The resource and the organization of a webhook's audit rows; webhooks of the platform have the nil organization. */
export const aboutWebhook = ({ id, organization_id }: Pick<WebhookRow, 'id' | 'organization_id'>) =>
  ({ resource_type: 'webhook', resource_id: id, organization_id: organization_id ?? NIL_UUID }) as const;

export const webhookScope = ({ organization_id }: Pick<WebhookRow, 'organization_id'>) =>
  organization_id === null ? ('global' as const) : ('organization' as const);

/** Stops collecting events. Pending deliveries wait until the webhook is enabled. The row must be locked. */
async function disable(
  tx: Tx,
  caller: Caller,
  webhook: WebhookRow,
  { reason, now }: { reason: 'gone' | 'failing' | 'reclaimed'; now: Date },
): Promise<void> {
  const disabled_reason = reason === 'reclaimed' ? null : reason;
  await updateWebhook(tx, { ...pick(webhook), enabled: false, disabled_reason });
  await closeSpan(tx, webhook.id);
  const metadata = { scope: webhookScope(webhook), reason };
  await recordAudit(tx, caller, { action: 'webhook.disabled', now, ...aboutWebhook(webhook), metadata });
}

const pick = ({ id, url, description, events, failing_since }: WebhookRow) => ({
  id,
  url,
  description,
  events,
  failing_since,
});

export async function disableFailing(
  tx: Tx,
  deps: DisableDeps,
  webhook: WebhookRow,
  { reason, now }: { reason: 'gone' | 'failing'; now: Date },
): Promise<void> {
  await disable(tx, SYSTEM, webhook, { reason, now });
  const { organization_id } = webhook;
  const organization = organization_id === null ? undefined : await findOrganization(tx, organization_id);
  const params = { organization_name: organization?.name ?? null, host: new URL(webhook.url).host, reason };
  for (const { email, locale } of await listOwnersToMail(tx, deps, webhook, now)) {
    await enqueueMail(tx, deps.mail, {
      template: 'webhook_disabled',
      locale: chooseLocale(locale, deps.config.DEFAULT_LOCALE),
      to: email,
      params,
      expires_at: after(now, NOTICE_LIFETIME),
    });
  }
}

/** More mails at once would delay sign-in codes, which share the queue. */
const MAX_MAILS = 100;
/** Limits the mails about one webhook, which may be enabled and disabled again any number of times. */
const MAILS_PER_WEBHOOK = { count: 1, window: 24 * 3600 };

/**
 * The owners, without those who have had a mail about this webhook within a day or have reached their limit of mails
 * about webhooks. Owners who have not verified their email get a mail only if no owner has: it may belong to someone
 * else.
 */
async function listOwnersToMail(tx: Tx, deps: DisableDeps, { id, organization_id }: WebhookRow, now: Date) {
  const all =
    organization_id === null
      ? await listPlatformOwners(tx, { limit: MAX_MAILS })
      : await listOwners(tx, { organization_id, limit: MAX_MAILS });
  const verified = all.filter(({ email_verified_at }) => email_verified_at !== null);
  const owners = (verified.length > 0 ? verified : all).map((owner) => ({
    ...owner,
    counter: deps.limiter.counter('mail webhook', `${id} ${owner.email}`, MAILS_PER_WEBHOOK),
  }));
  if (owners.length === 0) return [];
  const counters = owners.map(({ counter }) => counter);
  const over = (await updateCounters(tx, counters, now)).filter((count) => isOver(counters, count));
  const due = owners.filter(({ counter }) => !over.some(({ key }) => key.equals(counter.key)));
  const kind = organization_id === null ? 'platform' : 'notice';
  const emails = due.map(({ email }) => email);
  const allowed = await countMails(tx, deps, kind, emails, 'webhooks');
  return due.filter(({ email }) => allowed.has(email));
}

/**
 * docs/reference/accounts.md#unproven-accounts: webhooks that a reclaimed account has created may send events to
 * someone else.
 */
export async function disableWebhooksOf(tx: Tx, caller: Caller, user_id: string, now: Date): Promise<void> {
  for (const webhook of await listWebhooksOf(tx, user_id))
    await disable(tx, caller, webhook, { reason: 'reclaimed', now });
}
