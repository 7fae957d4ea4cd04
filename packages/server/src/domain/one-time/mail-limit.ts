import type { Counter } from '../../platform/limiter/queries.ts';
import type { Caller, Deps } from '../context.ts';

/**
 * `asked`: by anybody, for the address: codes, reset links, verification. `change`: by somebody signed in, who names the
 * address of another perhaps. `notice`: tells of what was done. Counted apart, so that nobody can use up the mails that let
 * the owner of an address in.
 */
type MailKind = 'asked' | 'change' | 'notice';

/**
 * The contract, section 1: so many mails to one address, and so many asked for from one network (notices excepted). False:
 * nothing is sent, what was sent before stays good, and nobody is told.
 */
export async function mayMail(
  { limiter, config, mail }: Deps,
  { network }: Caller,
  { kind, email }: { kind: MailKind; email: string },
  ...more: Counter[]
): Promise<boolean> {
  const verdict = await limiter.hit(
    limiter.counter(`mail ${kind}`, email, config.LIMIT_MAIL_PER_ACCOUNT),
    // Of a thief, who must not be able to silence what tells of the theft.
    ...(kind === 'notice' ? [] : [limiter.counter('mail address', network, config.LIMIT_MAIL_PER_ADDRESS)]),
    ...more,
  );
  if (!verdict.allowed) mail.limited();
  return verdict.allowed;
}
