import type { Counter } from '../../platform/limiter/queries.ts';
import type { Caller, Deps } from '../context.ts';

/**
 * The contract, section 1: so many mails to one address, and so many asked for from one network. All kinds of mail that
 * people can ask for count together. False: nothing is sent, what was sent before stays good, and nobody is told.
 */
export async function mayMail(
  { limiter, config, mail }: Deps,
  { network }: Caller,
  email: string,
  ...more: Counter[]
): Promise<boolean> {
  const verdict = await limiter.hit(
    limiter.counter('mail', email, config.LIMIT_MAIL_PER_ACCOUNT),
    limiter.counter('mail address', network, config.LIMIT_MAIL_PER_ADDRESS),
    ...more,
  );
  if (!verdict.allowed) mail.limited();
  return verdict.allowed;
}
