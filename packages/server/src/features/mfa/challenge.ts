import { LIMITS, type MfaChallengeRequest } from '@gatehouse/contract';
import type { ChallengeRefusal } from '../../domain/audit/events.ts';
import { type AuditInsert, insertAuditEvent } from '../../domain/audit/queries.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials, ServiceError, tooManyWrong } from '../../domain/kernel/service-error.ts';
import { NOTHING } from '../../domain/kernel/statements.ts';
import { prepareMail } from '../../domain/mail/enqueue.ts';
import { type Guess, readGuess, verifyGuess } from '../../domain/mfa/guess.ts';
import { type MfaToken, readMfaToken } from '../../domain/mfa/mfa-token.ts';
import {
  claimSecondFactor,
  type Factor,
  findHalfSignIn,
  insertWrongAnswer,
  type PendingSignIn,
  useSecondFactor,
} from '../../domain/mfa/queries.ts';
import { codeUsed } from '../../domain/mfa/recovery-codes.ts';
import { totpDayCounter, wrongCodeCounter } from '../../domain/mfa/wrong-codes.ts';
import { completeSignIn, type SignedIn } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { noticeTo, noticeWithinLimit } from '../../domain/users/notify.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, isOver } from '../../platform/limiter/queries.ts';

interface Attempt {
  readonly token: MfaToken;
  readonly guess: Guess;
  /** Counters of the account over all tokens. One for each kind of code: guessing one kind never blocks the other. */
  readonly counters: readonly Counter[];
}

/**
 * §4.2 POST /auth/mfa/challenge: mfa_token and code → session. The code is verified first; whether the attempt counts,
 * as right or as wrong, is decided by one statement that locks the token. Of concurrent attempts, at most five wrong
 * ones and one right one count.
 */
export async function challenge(deps: Deps, caller: Caller, body: MfaChallengeRequest): Promise<SignedIn> {
  const guess = readGuess(body);
  const token = readMfaToken(deps, body.mfa_token);
  if (!token) throw badCredentials();
  if (token.expires_at <= deps.clock.now()) {
    return failChallenge(deps, caller, { token, guess }, 'expired', badCredentials());
  }
  const attempt = { token, guess, counters: countersOf(deps, token, guess) };

  const { user_id, organization_id, jti } = token;
  const [{ account, full_until }, pending] = await Promise.all([
    findAccount(deps.db, { user_id, organization_id, counters: attempt.counters, now: deps.clock.now() }),
    findHalfSignIn(deps.db, jti, guess.code_hash),
  ]);
  if (!account || !isOpen(pending, account)) return failChallenge(deps, caller, attempt, 'void', badCredentials());
  if (pending.attempts >= LIMITS.mfaToken.attempts)
    return failChallenge(deps, caller, attempt, 'locked', locked(deps, token));
  if (full_until) {
    return failChallenge(deps, caller, attempt, 'limited', tooManyWrong(secondsUntil(full_until, deps.clock.now())));
  }
  const factor = verifyGuess(deps, user_id, guess, pending);
  const signedIn = factor && (await completeChallenge(deps, caller, attempt, account, factor));
  return signedIn ?? failWrongCode(deps, caller, attempt, account);
}

/** Whether the token is unused, and the user is active and still has MFA enabled. */
const isOpen = (pending: PendingSignIn | undefined, { status }: Account): pending is PendingSignIn =>
  pending !== undefined && pending.burned_at === null && pending.mfa_enabled_at !== null && status === 'active';

const locked = (deps: Deps, { expires_at }: MfaToken) =>
  new ServiceError('rate_limited', 'too many wrong codes for this sign-in; sign in again', {
    retryAfter: secondsUntil(expires_at, deps.clock.now()),
  });

function countersOf(deps: Deps, { user_id }: MfaToken, { method }: Guess): Counter[] {
  const { limiter, config } = deps;
  return method === 'totp'
    ? [limiter.counter('totp', user_id, config.LIMIT_TOTP), totpDayCounter(deps, user_id)]
    : [limiter.counter('recovery code', user_id, config.LIMIT_RECOVERY_CODE)];
}

/** Returns undefined if a concurrent request consumed the token or the code, or reached the limit of wrong codes. */
async function completeChallenge(
  deps: Deps,
  caller: Caller,
  { token, guess, counters }: Attempt,
  account: Account,
  factor: Factor,
): Promise<SignedIn | undefined> {
  const now = deps.clock.now();
  const answer = { jti: token.jti, user_id: token.user_id, factor, counters, now };
  const { method } = guess;
  const notice = method === 'recovery_code' ? noticeWithinLimit(deps, account, codeUsed) : NOTHING;
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'password_with_mfa',
    first_factor: token.first_factor,
    connection_id: token.connection_id,
    aal: 'aal2',
    mfa_verified_at: now,
    settles_mfa: true,
    claim: claimSecondFactor(answer),
    uses: (source) => [...notice(source), ...useSecondFactor(answer)(source)],
    audit: ({ outcome, metadata: { reason } }) => [
      outcome === 'success'
        ? auditRow(caller, { ...auditBase(deps, token), action: 'auth.mfa.challenge.succeeded', metadata: { method } })
        : failedRow(deps, caller, { token, guess }, reason === 'policy' ? 'policy' : 'organization'),
    ],
  });
  if (notice !== NOTHING) deps.mail.wake();
  return outcome === 'too late' || outcome.status === 'mfa_required' ? undefined : outcome;
}

const auditBase = (deps: Deps, { user_id, organization_id }: MfaToken) =>
  ({
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: user_id,
    organization_id,
    actor_id: user_id,
  }) as const;

type CodeAttempt = Pick<Attempt, 'token' | 'guess'>;

const failedRow = (deps: Deps, caller: Caller, { token, guess }: CodeAttempt, reason: ChallengeRefusal): AuditInsert =>
  auditRow(caller, {
    ...auditBase(deps, token),
    action: 'auth.mfa.challenge.failed',
    metadata: { method: guess.method, reason },
    outcome: 'failure',
  });

/** Audits an attempt whose code was not verified (§4.2: every attempt is audited), then throws. */
async function failChallenge(
  deps: Deps,
  caller: Caller,
  attempt: CodeAttempt,
  reason: ChallengeRefusal,
  error: ServiceError,
): Promise<never> {
  await insertAuditEvent(deps.db, failedRow(deps, caller, attempt, reason));
  throw error;
}

/** §3: the fifth wrong code of a token locks it until it expires; the tenth of the account in a day sends a mail. */
async function failWrongCode(deps: Deps, caller: Caller, attempt: Attempt, account: Account): Promise<never> {
  const { token, guess, counters } = attempt;
  const now = deps.clock.now();
  const lock = { ...auditBase(deps, token), action: 'auth.mfa.challenge.locked', outcome: 'failure' } as const;
  const counts = await insertWrongAnswer(deps.db, {
    jti: token.jti,
    counters,
    notice: { counter: wrongCodeCounter(deps, token.user_id), mail: guessedMail(deps, attempt, account) },
    failed: failedRow(deps, caller, attempt, 'mismatch'),
    locked: auditRow(caller, { ...lock, metadata: { method: guess.method } }),
    now,
  });
  if (counts) {
    deps.mail.wake();
    const over = counts.find((count) => isOver(counters, count));
    throw over ? tooManyWrong(secondsUntil(over.resets_at, now)) : badCredentials();
  }
  // A concurrent request consumed the token or used its last attempt.
  const pending = await findHalfSignIn(deps.db, token.jti, null);
  return pending && pending.burned_at === null
    ? failChallenge(deps, caller, attempt, 'locked', locked(deps, token))
    : failChallenge(deps, caller, attempt, 'void', badCredentials());
}

/** `first_factor` is missing in tokens issued by the previous version; it then most likely was the password. */
function guessedMail(deps: Deps, { token: { first_factor } }: Attempt, account: Account) {
  const with_password = (first_factor ?? 'password') === 'password';
  return prepareMail(
    deps.mail,
    noticeTo(deps, account, { template: 'second_factor_guessed', params: { with_password } }),
  );
}
