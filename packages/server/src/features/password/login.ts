import { type LoginRequest, normalizeEmail } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials, tooManyWrong } from '../../domain/kernel/service-error.ts';
import { failureCounters } from '../../domain/limits/failed-attempts.ts';
import { completeSignIn, type Outcome } from '../../domain/sign-in/complete.ts';
import { type AttemptedMethod, recordWrongGuess, signInRow } from '../../domain/sign-in/event.ts';
import { findAccount, whileGuessesAreLeft } from '../../domain/sign-in/queries.ts';
import { startFixedTime } from '../../platform/fixed-time.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import type { Counter } from '../../platform/limiter/queries.ts';

const METHOD: AttemptedMethod = { method: 'password', action: () => 'auth.login' };

interface Attempt extends LoginRequest {
  readonly trust_hash: Buffer | undefined;
}

/**
 * POST /auth/login (docs/reference/sign-in.md#password): email and password → session, or mfa_required. Always one
 * lookup, one hash, one write: unknown address, wrong password, disabled account and account without password cannot be
 * distinguished.
 */
export async function login(deps: Deps, caller: Caller, attempt: Attempt): Promise<SignIn> {
  const first = await attemptLogin(deps, caller, attempt);
  // The password was right, but a concurrent request has stored a stronger hash or changed the password: verify again.
  const outcome = first.outcome === 'too late' ? await attemptLogin(deps, caller, attempt) : first;
  if (outcome.outcome === 'too late') throw await failedLogin(deps, caller, { ...outcome, reason: 'superseded' });
  return outcome.outcome;
}

type SignIn = Exclude<Outcome, 'too late'>;

async function attemptLogin(deps: Deps, caller: Caller, attempt: Attempt) {
  const fixedTime = startFixedTime();
  deps.passwords.requireRoom(caller.network);
  const email = normalizeEmail(attempt.email);
  const counters = countersFor(deps, caller, email);
  const { account, ...limits } = await findAccount(deps.db, {
    email,
    organization_id: attempt.organization_id,
    trust_hash: attempt.trust_hash,
    counters,
    address_counters: failureCounters(deps, caller),
    now: deps.clock.now(),
  });
  const full_until = limits.full_until ?? limits.address_full_until;
  if (full_until) {
    // Waits for a fixed time, because no password hash is computed here that would hide the time of the lookup.
    await fixedTime();
    throw tooManyWrong(secondsUntil(full_until, deps.clock.now()));
  }
  const matches = await deps.passwords.verify({
    stored: account?.password_hash ?? null,
    password: attempt.password,
    who: caller.network,
    in_vain: account?.status !== 'active',
  });
  if (!account || !matches || account.status !== 'active') {
    throw await failedLogin(deps, caller, { account, counters, reason: 'credentials' });
  }
  const checked_hash = account.password_hash!;
  const isWeak = deps.passwords.isWeak(checked_hash, attempt.password);
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'password',
    first_factor: 'password',
    aal: 'aal1',
    mfa_verified_at: null,
    trust_hash: attempt.trust_hash,
    checked_hash,
    new_hash: isWeak ? await deps.passwords.hash(attempt.password, caller.network) : undefined,
    // Guesses are verified in parallel; the counters at the time of this statement decide which ones count.
    claim: whileGuessesAreLeft(counters, deps.clock.now()),
    audit: (facts) => [signInRow(deps, caller, METHOD, account, facts)],
  });
  return { outcome, account, counters };
}

/** Counts by the given email, with or without an account. The limiter stores it as a keyed hash. */
const countersFor = ({ limiter, config }: Deps, { network }: Caller, email: string): Counter[] => [
  limiter.counter('password', `${network}\0${email}`, config.LIMIT_PASSWORD_PER_ADDRESS),
  limiter.counter('password account', email, config.LIMIT_PASSWORD_PER_ACCOUNT),
];

/** Counts the guess. Returns 429 over the limit, also for an address without an account. */
async function failedLogin(deps: Deps, caller: Caller, guess: Parameters<typeof recordWrongGuess>[3]) {
  const over = await recordWrongGuess(deps, caller, METHOD, guess);
  return over ? tooManyWrong(secondsUntil(over.resets_at, deps.clock.now())) : badCredentials();
}
