import type { Tx } from '../../platform/db/connect.ts';
import { afterCommit } from '../../platform/db/transact.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, isOver, updateCounters } from '../../platform/limiter/queries.ts';
import type { Caller, Deps } from '../context.ts';
import { addressCounters } from '../limits/address-counters.ts';
import { tooMany } from '../service-error.ts';

/**
 * `asked`: requested by anyone for the address: codes, reset links, verification. `change`: requested by a signed-in
 * user, perhaps for an address of someone else. `notice`: reports a change to the user. `platform`: reports a change of
 * the platform to platform owners. Each kind is counted separately, and so are invitations, so that none of them can
 * use up the mails that the owner of an address needs to sign in.
 */
type MailKind = 'asked' | 'change' | 'notice' | 'platform';

interface Wanted {
  readonly kind: MailKind;
  readonly email: string;
}

/**
 * The contract, section 1: so many mails to one address, and so many asked for from one network (notices excepted). False:
 * nothing is sent, what was sent before stays good, and nobody is told.
 */
export async function mayMail(
  { limiter, config, mail }: Deps,
  caller: Caller,
  { kind, email }: Wanted,
  ...more: Counter[]
): Promise<boolean> {
  const { allowed } = await limiter.hit(
    limiter.counter(`mail ${kind}`, email, config.LIMIT_MAIL_PER_ACCOUNT),
    // Of a thief, who must not be able to silence what tells of the theft.
    ...(kind === 'notice' ? [] : addressCounters(limiter, caller, 'mail address', config.LIMIT_MAIL_PER_ADDRESS)),
    ...more,
  );
  if (!allowed) mail.limited();
  return allowed;
}

/**
 * Counts a notice to each of these addresses, in the transaction of the change it reports: if the change fails, nothing
 * is counted. Returns the addresses that have not reached their limit yet. `about`: what each address has a limit for.
 */
export async function countNotices(
  tx: Tx,
  { limiter, config, mail, clock }: Deps,
  kind: 'notice' | 'platform',
  emails: readonly string[],
  about = '',
): Promise<Set<string>> {
  if (emails.length === 0) return new Set();
  const counters = emails.map((email) =>
    limiter.counter(`mail ${kind}`, about ? `${email} ${about}` : email, config.LIMIT_MAIL_PER_ACCOUNT),
  );
  const counts = await updateCounters(tx, counters, clock.now());
  const over = counts.filter((count) => isOver(counters, count));
  for (const _ of over) afterCommit(tx, mail.limited);
  return new Set(emails.filter((_, index) => !over.some(({ key }) => key.equals(counters[index]!.key))));
}

interface Inviting {
  readonly organization_id: string;
  readonly email: string;
  readonly now: Date;
}

/** How many organizations may write to one address as often as each of them may. */
const TENANTS_PER_MAILBOX = 5;

/**
 * Counts an invitation that is about to be sent, in the transaction that makes it: one that is refused counts for nothing.
 * Whoever sends it is told (429) of what they used up themselves: mails of this organization, to this address, from this
 * network. What all organizations send to one address has a bound too, of which none may learn: false, nothing is sent.
 */
export async function countInvitation(
  tx: Tx,
  { limiter, config, mail }: Deps,
  caller: Caller,
  { organization_id, email, now }: Inviting,
): Promise<boolean> {
  const { count, window } = config.LIMIT_MAIL_PER_ACCOUNT;
  const own = [
    limiter.counter('invitations', organization_id, config.LIMIT_INVITATIONS_PER_ORGANIZATION),
    limiter.counter('mail invitation', `${organization_id} ${email}`, config.LIMIT_MAIL_PER_ACCOUNT),
    ...addressCounters(limiter, caller, 'mail address', config.LIMIT_MAIL_PER_ADDRESS),
  ];
  const mailbox = limiter.counter('mail invitations', email, { count: count * TENANTS_PER_MAILBOX, window });
  const counts = await updateCounters(tx, [...own, mailbox], now);
  const over = counts.filter((one) => isOver(own, one));
  if (over.length > 0) {
    mail.limited();
    throw tooMany(Math.max(...over.map(({ resets_at }) => secondsUntil(resets_at, now))));
  }
  const isFull = counts.some((one) => isOver([mailbox], one));
  if (isFull) afterCommit(tx, mail.limited);
  return !isFull;
}
