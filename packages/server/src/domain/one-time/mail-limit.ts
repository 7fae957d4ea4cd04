import type { Tx } from '../../platform/db/connect.ts';
import { afterCommit } from '../../platform/db/transact.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, isOver, updateCounters } from '../../platform/limiter/queries.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { tooMany } from '../kernel/service-error.ts';
import { addressCounters } from '../limits/address-counters.ts';

/**
 * `asked`: requested by anyone for the address: codes, reset links, verification. `change`: requested by a signed-in
 * user, perhaps for an address of someone else. `notice`: reports a change to the user. `platform`: reports a change of
 * the platform to platform owners. Each kind is counted separately, and so are invitations, so that none of them can
 * use up the mails that the owner of an address needs to sign in.
 */
type MailKind = 'asked' | 'change' | 'notice' | 'platform';

interface MailRequest {
  readonly kind: 'asked' | 'change';
  readonly email: string;
}

type Limits = Pick<Deps, 'limiter' | 'config'>;

/** With `about`, the address has a separate limit for that subject. */
export const mailCounter = ({ limiter, config }: Limits, kind: MailKind, email: string, about = ''): Counter =>
  limiter.counter(`mail ${kind}`, about ? `${email} ${about}` : email, config.LIMIT_MAIL_PER_ACCOUNT);

/**
 * docs/reference/http.md#limits: limits of mails to one address and of mails requested from one network. If it returns
 * false, nothing is sent, earlier codes and links stay valid, and the response does not reveal it.
 */
export async function mayMail(
  deps: Deps,
  caller: Caller,
  { kind, email }: MailRequest,
  ...more: Counter[]
): Promise<boolean> {
  const { limiter, config, mail } = deps;
  const { allowed } = await limiter.hit(
    mailCounter(deps, kind, email),
    ...addressCounters(limiter, caller, 'mail address', config.LIMIT_MAIL_PER_ADDRESS),
    ...more,
  );
  if (!allowed) mail.limited();
  return allowed;
}

/**
 * Counts a mail to each of these addresses, in the transaction of the change it reports: if the change fails, nothing
 * is counted. Returns the addresses that have not reached their limit yet. Notices are not counted per network: an
 * attacker must not be able to suppress the notices of the attack.
 */
export async function countMails(
  tx: Tx,
  deps: Limits & Pick<Deps, 'mail' | 'clock'>,
  kind: 'asked' | 'notice' | 'platform',
  emails: readonly string[],
  about?: string,
): Promise<Set<string>> {
  if (emails.length === 0) return new Set();
  const counters = emails.map((email) => mailCounter(deps, kind, email, about));
  const counts = await updateCounters(tx, counters, deps.clock.now());
  const over = counts.filter((count) => isOver(counters, count));
  for (const _ of over) afterCommit(tx, deps.mail.limited);
  return new Set(emails.filter((_, index) => !over.some(({ key }) => key.equals(counters[index]!.key))));
}

/**
 * Counts the verification mail of a registration for the network of the client, in the transaction of the registration.
 * If it returns false, no mail is sent: anyone can register any address, so these mails go to strangers too.
 */
export async function mayMailRegistered(tx: Tx, { limiter, config, mail, clock }: Deps, caller: Caller) {
  const counters = addressCounters(limiter, caller, 'mail address', config.LIMIT_MAIL_PER_ADDRESS);
  const counts = await updateCounters(tx, counters, clock.now());
  const isFull = counts.some((count) => isOver(counters, count));
  if (isFull) afterCommit(tx, mail.limited);
  return !isFull;
}

interface Inviting {
  readonly organization_id: string;
  readonly email: string;
  readonly now: Date;
}

/** An address receives at most as many invitations as this many organizations may send to it. */
const TENANTS_PER_MAILBOX = 5;

/**
 * Counts an invitation in the transaction that creates it, so that a failed one is not counted. Throws 429 for limits
 * that the sender has used up: mails of this organization, to this address, from this network. Returns false, and
 * nothing is sent, if all organizations together have reached the limit of the address; senders must not learn that.
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
