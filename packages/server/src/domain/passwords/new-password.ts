import { createBounded, NoRoom } from '../../platform/bounded.ts';
import { estimateStrength, type Strength } from '../../platform/strength/strength.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError, tooMany } from '../kernel/service-error.ts';

interface NewPassword {
  readonly field: string;
  readonly password: string;
}

/**
 * docs/reference/accounts.md#passwords: checks the strength if PASSWORD_MIN_STRENGTH requires it, then hashes the
 * password.
 */
export async function hashNewPassword(deps: Deps, caller: Caller, given: NewPassword): Promise<string> {
  await requireStrength(deps, caller, given);
  return deps.passwords.hash(given.password, caller.network);
}

/** One estimate runs at a time: it takes some milliseconds, for a hostile password up to half a second. */
const estimates = createBounded({ atOnce: 1, waiting: 32 });

async function requireStrength({ config, log }: Deps, caller: Caller, { field, password }: NewPassword): Promise<void> {
  const { PASSWORD_MIN_STRENGTH: least } = config;
  if (least === 0) return;
  const strength = await estimates
    .run(caller.network, () => estimateStrength(password))
    .catch((err: unknown) => {
      if (err instanceof NoRoom) throw tooMany(1);
      log.error({ err }, 'the strength of a password could not be estimated');
    });
  // If the estimate fails, only the length counts, so that users can still set passwords.
  if (!strength || strength.score >= least) return;
  throw new ServiceError('invalid_input', `${field}: ${reasonOf(strength)}. Use several unrelated words`);
}

const WEAKNESSES: Readonly<Record<string, string>> = {
  straightRow: 'it follows a row of keys',
  keyPattern: 'it follows a pattern of keys',
  simpleRepeat: 'it repeats a character',
  extendedRepeat: 'it repeats the same characters',
  sequences: 'it contains a sequence such as abc or 6543',
  recentYears: 'it contains a year',
  dates: 'it contains a date',
  topTen: 'it is one of the most common passwords',
  topHundred: 'it is one of the most common passwords',
  common: 'it is a common password',
  similarToCommon: 'it is similar to a common password',
  wordByItself: 'it is a single word',
  namesByThemselves: 'it is a name',
  commonNames: 'it is a name',
};

const reasonOf = ({ warning }: Strength): string => {
  const weakness = WEAKNESSES[warning ?? ''];
  return weakness ? `is too easy to guess because ${weakness}` : 'is too easy to guess';
};
