import { type EmailCodeVerifyRequest, normalizeEmail } from '@gatehouse/contract';
import type { RefusalReason } from '../../domain/audit/events.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials } from '../../domain/kernel/service-error.ts';
import { NOTHING, type Uses } from '../../domain/kernel/statements.ts';
import { knownDevice } from '../../domain/kernel/user-agent.ts';
import { countFailedAttempt, failureCounters } from '../../domain/limits/failed-attempts.ts';
import { prepareMail } from '../../domain/mail/enqueue.ts';
import { cancelMailAlong } from '../../domain/mail/queries.ts';
import { tokenMailIdOf } from '../../domain/mail/token-mail-id.ts';
import { decoyUserId } from '../../domain/one-time/answer-by-mail.ts';
import { claimAttempt, claimCode, noticeAlong } from '../../domain/one-time/queries.ts';
import { completeSignIn, type Outcome } from '../../domain/sign-in/complete.ts';
import { type AttemptedMethod, recordWrongGuess, signInRow } from '../../domain/sign-in/event.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { findOrigin } from '../../domain/unproven/queries.ts';
import { noticeTo } from '../../domain/users/notify.ts';
import { inFixedTime } from '../../platform/fixed-time.ts';
import { matchesCode } from './code.ts';

const METHOD: AttemptedMethod = {
  method: 'email_otp',
  action: (outcome) => (outcome === 'success' ? 'auth.email_otp.succeeded' : 'auth.email_otp.failed'),
};

interface Attempt extends EmailCodeVerifyRequest {
  readonly trust_hash: Buffer | undefined;
}

/**
 * §4.5 POST /auth/email-otp/verify: email and code → session, or mfa_required. The attempt is counted before the code
 * is verified. An unknown or disabled account, a wrong or expired code, and an exhausted limit all lead to one read,
 * one count, one write, and the same 401 after the same time.
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
  const fail = async (reason: RefusalReason): Promise<never> => {
    await recordWrongGuess(deps, caller, METHOD, { account, counters, reason });
    throw badCredentials();
  };
  // The code is no longer verified, so nothing is audited: a flood of guesses must not fill the disk with audit rows.
  if (full_until) {
    await countFailedAttempt(deps, caller);
    throw badCredentials();
  }
  // A code requested for a disabled account is stored under the derived subject, like that of an unknown address.
  const derived = decoyUserId(keyring, email);
  const subject = account?.status === 'active' ? account.id : derived;
  const claimed = await claimAttempt(db, subject, clock.now());
  if (address_full_until) throw badCredentials();
  const matches = matchesCode(keyring, claimed?.token_hash, { subject, email, code: attempt.code });
  if (!claimed || !matches || account?.status !== 'active') {
    return fail('credentials');
  }
  const now = clock.now();
  const notice = await unprovenNotice(deps, account);
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'email_otp',
    first_factor: 'email_otp',
    aal: 'aal1',
    mfa_verified_at: null,
    trust_hash: attempt.trust_hash,
    claim: claimCode({ user_id: account.id, email, token_hash: claimed.token_hash, counters, now }),
    uses: (source) => [...notice(source), cancelMailAlong(tokenMailIdOf(claimed), now, source)],
    audit: (facts) => [signInRow(deps, caller, METHOD, account, facts)],
  });
  if (outcome === 'too late') return fail('superseded');
  if (notice !== NOTHING) deps.mail.wake();
  return outcome;
}

/** At most one notice in 24 hours. */
const NOTICE_QUOTA = { count: 1, window: 86_400 };

/**
 * docs/reference/accounts.md#unproven-accounts: a code was right, the email is not verified, and the account has
 * credentials that the code does not prove. The statement that consumes the code also queues a mail to the owner of the
 * mailbox that says when and with which device the account was created. With a second factor on, the mail is queued
 * before that factor is given: an owner who does not have it needs the mail most.
 */
async function unprovenNotice(deps: Deps, account: Account): Promise<Uses> {
  if (account.email_verified_at !== null) return NOTHING;
  const { created_at, user_agent, credentials } = await findOrigin(deps.db, account.id);
  if (credentials.length === 0) return NOTHING;
  const params = { created_at: created_at.getTime(), device: knownDevice(user_agent) };
  const mail = prepareMail(deps.mail, noticeTo(deps, account, { template: 'unproven_sign_in', params }));
  return noticeAlong({
    counter: deps.limiter.counter('unproven notice', account.id, NOTICE_QUOTA),
    mail,
    now: deps.clock.now(),
  });
}
