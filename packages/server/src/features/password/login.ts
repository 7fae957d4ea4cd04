import { type LoginRequest, NIL_UUID, normalizeEmail } from '@gatehouse/contract';
import type { RefusalReason } from '../../domain/audit/events.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { badCredentials, tooMany } from '../../domain/service-error.ts';
import { completeSignIn, type Outcome, type SignInFacts } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount, insertFailure, whileGuessesAreLeft } from '../../domain/sign-in/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import type { Counter } from '../../platform/limiter/queries.ts';

interface Attempt extends LoginRequest {
  readonly trust_token: string | undefined;
}

/**
 * POST /auth/login: email and password → session, or mfa_required. One look, one hash, one write, whoever asks: an unknown
 * address, a wrong password, a disabled account and one without a password differ in nothing that can be seen.
 */
export async function login(deps: Deps, caller: Caller, attempt: Attempt): Promise<Exclude<Outcome, 'too late'>> {
  const email = normalizeEmail(attempt.email);
  const counters = countersFor(deps, caller, email);
  const { account, full_until } = await findAccount(deps.db, {
    email,
    organization_id: attempt.organization_id,
    trust_hash: attempt.trust_token === undefined ? undefined : hashToken(attempt.trust_token),
    counters,
    now: deps.clock.now(),
  });
  if (full_until) throw tooMany(secondsUntil(full_until, deps.clock.now()));
  const matches = await deps.passwords.verify(account?.password_hash ?? null, attempt.password);
  if (!account || !matches || account.status !== 'active') throw await refuse(deps, caller, account, counters);
  const checked_hash = account.password_hash!;
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'password',
    aal: 'aal1',
    mfa_verified_at: null,
    heeds_trust: true,
    checked_hash,
    new_hash: deps.passwords.isWeak(checked_hash) ? await deps.passwords.hash(attempt.password) : undefined,
    // Guesses are judged in parallel; which of them count is decided here, by the count at the moment of writing.
    claim: whileGuessesAreLeft(counters, deps.clock.now()),
    audit: (facts) => [loginRow(deps, caller, account, facts)],
  });
  if (outcome === 'too late') throw await refuse(deps, caller, account, counters, 'locked');
  return outcome;
}

/** The address that was typed, whether or not it has an account, as a keyed hash. */
const countersFor = ({ limiter, config }: Deps, { network }: Caller, email: string): Counter[] => [
  limiter.counter('password', `${network}\0${email}`, config.LIMIT_PASSWORD_PER_ADDRESS),
  limiter.counter('password account', email, config.LIMIT_PASSWORD_PER_ACCOUNT),
];

/** Counts the guess and tells of it. Nothing that was typed is written down. */
async function refuse(
  deps: Deps,
  caller: Caller,
  account: Account | undefined,
  counters: readonly Counter[],
  reason: RefusalReason = 'credentials',
) {
  const now = deps.clock.now();
  const facts = {
    organization_id: account?.organization_id ?? NIL_UUID,
    outcome: 'failure',
    metadata: { reason },
  } as const;
  const counts = await insertFailure(deps.db, counters, loginRow(deps, caller, account, facts), now);
  const full = counts.find(
    ({ key, count }) => count > counters.find((counter) => counter.key.equals(key))!.quota.count,
  );
  return full ? tooMany(secondsUntil(full.resets_at, now)) : badCredentials();
}

const loginRow = (deps: Deps, caller: Caller, account: Account | undefined, facts: SignInFacts) =>
  auditRow(caller, {
    action: 'auth.login',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: account?.id ?? NIL_UUID,
    organization_id: facts.organization_id,
    actor_id: account?.id ?? null,
    outcome: facts.outcome,
    metadata: { method: 'password', ...facts.metadata },
  });
