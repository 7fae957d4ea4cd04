import type { Tx } from '../../platform/db/connect.ts';
import { type Counter, deleteCounters } from '../../platform/limiter/queries.ts';
import type { Deps } from '../context.ts';

type Limits = Pick<Deps, 'limiter' | 'config'>;

/** docs/reference/mfa.md#wrong-codes: wrong TOTP codes in a day, over any number of sign-ins. */
export const totpDayCounter = ({ limiter, config }: Limits, user_id: string): Counter =>
  limiter.counter('totp day', user_id, config.LIMIT_TOTP_PER_DAY);

/** Wrong TOTP codes at step-up in a day: separate, so that guessing at sign-in does not prevent stepping up. */
export const stepUpDayCounter = ({ limiter, config }: Limits, user_id: string): Counter =>
  limiter.counter('step-up totp day', user_id, config.LIMIT_TOTP_PER_DAY);

/** The tenth wrong second factor in a day, of either kind, sends a mail: the first factor was right each time. */
const NOTICE_QUOTA = { count: 10, window: 86_400 };

export const wrongCodeCounter = ({ limiter }: Limits, user_id: string): Counter =>
  limiter.counter('wrong second factors', user_id, NOTICE_QUOTA);

/**
 * Called after a password change, which stops a guesser who knew the old one. The hourly limit stays: a reset by mail
 * must not allow more guesses. Call it after `deleteMfaTokens`: a wrong code locks its token before these counters.
 */
export const clearWrongCodes = (tx: Tx, limits: Limits, user_id: string) =>
  deleteCounters(
    tx,
    [totpDayCounter, stepUpDayCounter, wrongCodeCounter].map((counter) => counter(limits, user_id)),
  );
