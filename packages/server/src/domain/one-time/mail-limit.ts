import type { Verdict } from '../../platform/limiter/limiter.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import type { Caller, Deps } from '../context.ts';
import { tooMany } from '../service-error.ts';

/**
 * `asked`: by anybody, for the address: codes, reset links, verification. `change`: by somebody signed in, who names the
 * address of another perhaps. `invitation`: the same. `notice`: tells of what was done. Counted apart, so that nobody can use
 * up the mails that let the owner of an address in.
 */
type MailKind = 'asked' | 'change' | 'invitation' | 'notice';

interface Wanted {
  readonly kind: MailKind;
  readonly email: string;
}

/**
 * The contract, section 1: so many mails to one address, and so many asked for from one network (notices excepted). False:
 * nothing is sent, what was sent before stays good, and nobody is told.
 */
export const mayMail = async (deps: Deps, caller: Caller, wanted: Wanted, ...more: Counter[]): Promise<boolean> =>
  (await count(deps, caller, wanted, more)).allowed;

/** The same for somebody signed in who asks for a mail to another, and is told. It says nothing of who has an account. */
export async function requireMail(deps: Deps, caller: Caller, wanted: Wanted): Promise<void> {
  const { allowed, retryAfter } = await count(deps, caller, wanted, []);
  if (!allowed) throw tooMany(retryAfter);
}

async function count(
  { limiter, config, mail }: Deps,
  { network }: Caller,
  { kind, email }: Wanted,
  more: readonly Counter[],
): Promise<Verdict> {
  const verdict = await limiter.hit(
    limiter.counter(`mail ${kind}`, email, config.LIMIT_MAIL_PER_ACCOUNT),
    // Of a thief, who must not be able to silence what tells of the theft.
    ...(kind === 'notice' ? [] : [limiter.counter('mail address', network, config.LIMIT_MAIL_PER_ADDRESS)]),
    ...more,
  );
  if (!verdict.allowed) mail.limited();
  return verdict;
}
