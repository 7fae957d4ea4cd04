import { type EmailCodeVerifyRequest, normalizeEmail } from '@gatehouse/contract';
import type { RefusalReason } from '../../domain/audit/events.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { countFailedAttempt, failureCounters } from '../../domain/limits/failed-attempts.ts';
import { nobody } from '../../domain/one-time/answer-by-mail.ts';
import { claimAttempt, claimCode } from '../../domain/one-time/queries.ts';
import { badCredentials } from '../../domain/service-error.ts';
import { completeSignIn, type Outcome } from '../../domain/sign-in/complete.ts';
import { type JudgedWay, recordWrongGuess, signInRow } from '../../domain/sign-in/event.ts';
import { findAccount, NOTHING } from '../../domain/sign-in/queries.ts';
import { inFixedTime } from '../../platform/fixed-time.ts';
import { matchesCode } from './code.ts';
import { unprovenNotice } from './notice.ts';

const WAY: JudgedWay = {
  method: 'email_otp',
  action: (outcome) => (outcome === 'success' ? 'auth.email_otp.succeeded' : 'auth.email_otp.failed'),
};

interface Attempt extends EmailCodeVerifyRequest {
  readonly trust_hash: Buffer | undefined;
}

/**
 * §4.5 POST /auth/email-otp/verify: email and code → session, or mfa_required. The attempt is counted before the code
 * is verified. For unknown, disabled, wrong, expired, locked and limited: one read, one count, one write, and the same
 * 401 after the same time.
 */
export const verifyCode = (deps: Deps, caller: Caller, attempt: Attempt): Promise<SignIn> =>
  inFixedTime(() => signIn(deps, caller, attempt));

type SignIn = Exclude<Outcome, 'too late'>;

async function signIn(deps: Deps, caller: Caller, attempt: Attempt): Promise<SignIn> {
  const { clock, config, db, keyring, limiter } = deps;
  const email = normalizeEmail(attempt.email);
  const counters = [limiter.counter('email code', email, config.LIMIT_EMAIL_CODE)];
  const { account, full_until, address_full_until } = await findAccount(db, {
    email,
    organization_id: attempt.organization_id,
    trust_hash: attempt.trust_hash,
    counters,
    address_counters: failureCounters(deps, caller),
    now: clock.now(),
  });
  const refuse = async (reason: RefusalReason): Promise<never> => {
    await recordWrongGuess(deps, caller, WAY, { account, counters, reason });
    throw badCredentials();
  };
  // The code is not verified any more, so nothing is audited: a flood of guesses must not fill the disk with audit
  // rows.
  if (full_until) {
    await countFailedAttempt(deps, caller);
    throw badCredentials();
  }
  // What was asked for in the name of a disabled account was kept as for nobody, and is looked for there.
  const derived = nobody(keyring, email);
  const subject = account?.status === 'active' ? account.id : derived;
  const token_hash = await claimAttempt(db, subject, clock.now());
  if (address_full_until) throw badCredentials();
  const matches = matchesCode(keyring, token_hash, { subject, email, code: attempt.code });
  if (!token_hash || !matches || account?.status !== 'active') {
    return refuse('credentials');
  }
  const notice = await unprovenNotice(deps, account);
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'email_otp',
    first_factor: 'email_otp',
    aal: 'aal1',
    mfa_verified_at: null,
    trust_hash: attempt.trust_hash,
    claim: claimCode({ user_id: account.id, email, token_hash, counters, now: clock.now() }),
    uses: notice,
    audit: (facts) => [signInRow(deps, caller, WAY, account, facts)],
  });
  if (outcome === 'too late') return refuse('superseded');
  if (notice !== NOTHING) deps.mail.wake();
  return outcome;
}
