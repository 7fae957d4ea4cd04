import { type EmailCodeVerifyRequest, NIL_UUID, normalizeEmail } from '@gatehouse/contract';
import type { RefusalReason } from '../../domain/audit/events.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { nobody } from '../../domain/one-time/answer-by-mail.ts';
import { badCredentials } from '../../domain/service-error.ts';
import { completeSignIn, type Outcome, type SignInFacts } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount, insertFailure } from '../../domain/sign-in/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import { matchesCode } from './code.ts';
import { claimAttempt, claimCode } from './queries.ts';

interface Attempt extends EmailCodeVerifyRequest {
  readonly trust_token: string | undefined;
}

/**
 * §4.5 POST /auth/email-otp/verify: email and code → session, or mfa_required. The attempt is counted before it is judged.
 * Unknown, disabled, wrong, too late, locked: one look, one count, one write, and the same 401.
 */
export async function verifyCode(deps: Deps, caller: Caller, attempt: Attempt): Promise<Exclude<Outcome, 'too late'>> {
  const { clock, config, db, keyring, limiter } = deps;
  const email = normalizeEmail(attempt.email);
  const counters = [limiter.counter('email code', email, config.LIMIT_EMAIL_CODE)];
  const { account, full_until } = await findAccount(db, {
    email,
    trust_hash: attempt.trust_token === undefined ? undefined : hashToken(attempt.trust_token),
    counters,
    now: clock.now(),
  });
  if (full_until) throw await refuse(deps, caller, account, counters, 'locked');
  // What was asked for in the name of a disabled account was kept as for nobody, and is looked for there.
  const derived = nobody(keyring, email);
  const subject = account?.status === 'active' ? account.id : derived;
  const token_hash = await claimAttempt(db, subject, clock.now());
  const matches = matchesCode(keyring, token_hash, { subject, email, code: attempt.code });
  if (!token_hash || !matches || account?.status !== 'active') {
    throw await refuse(deps, caller, account, counters, 'credentials');
  }
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'email_otp',
    aal: 'aal1',
    mfa_verified_at: null,
    heeds_trust: true,
    claim: claimCode({ user_id: account.id, email, token_hash, counters, now: clock.now() }),
    audit: (facts) => [eventRow(deps, caller, account, facts)],
  });
  if (outcome === 'too late') throw await refuse(deps, caller, account, counters, 'credentials');
  return outcome;
}

/** Counts the guess and tells of it. Nothing that was typed is written down. */
async function refuse(
  deps: Deps,
  caller: Caller,
  account: Account | undefined,
  counters: readonly Counter[],
  reason: RefusalReason,
) {
  const organization_id = account?.organization_id ?? NIL_UUID;
  const row = eventRow(deps, caller, account, { organization_id, outcome: 'failure', metadata: { reason } });
  await insertFailure(deps.db, counters, row, deps.clock.now());
  return badCredentials();
}

const eventRow = (deps: Deps, caller: Caller, account: Account | undefined, facts: SignInFacts) =>
  auditRow(caller, {
    action: facts.outcome === 'success' ? 'auth.email_otp.succeeded' : 'auth.email_otp.failed',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: account?.id ?? NIL_UUID,
    organization_id: facts.organization_id,
    actor_id: account?.id ?? null,
    outcome: facts.outcome,
    metadata: { method: 'email_otp', ...facts.metadata },
  });
