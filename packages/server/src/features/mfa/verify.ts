import type { MfaVerifyRequest } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { countWrongAnswer, reauthenticate } from '../../domain/authorization/reauthenticate.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { type Guess, readGuess, verifyGuess } from '../../domain/mfa/guess.ts';
import { consumeFactor, type Factor, findFactor } from '../../domain/mfa/queries.ts';
import { codeUsed } from '../../domain/mfa/recovery-codes.ts';
import { looksLikeCode } from '../../domain/mfa/totp.ts';
import { stepUpDayCounter } from '../../domain/mfa/wrong-codes.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { lockUser } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { isOff } from './conflicts.ts';
import { issueVerified, markVerified, type Verification, type VerifiedSession } from './verified.ts';

const action = 'mfa.verified';

/** TOTP and recovery codes have separate counters, so that guessing one never blocks the other. */
const checkOf = (deps: Deps, { user_id }: SessionState, { method }: Guess) => {
  const base = { action, metadata: { method } } as const;
  return method === 'totp'
    ? ({ ...base, about: 'verify totp', counters: [stepUpDayCounter(deps, user_id)] } as const)
    : ({ ...base, about: 'verify recovery code' } as const);
};

/** POST /auth/mfa/verify: the second factor of a signed-in user → step-up, and an `aal2` session. */
export async function verify(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  body: MfaVerifyRequest,
): Promise<VerifiedSession> {
  const guess = readGuess(body);
  if (guess.method === 'totp' && !looksLikeCode(guess.typed)) {
    throw new ServiceError('invalid_input', 'code: must be 6 digits');
  }
  const found = await findFactor(deps.db, session.user_id, guess.code_hash);
  if (!found) throw notSignedIn();
  if (found.mfa_enabled_at === null) throw isOff();
  const check = checkOf(deps, session, guess);
  const verifyCode = () => verifyGuess(deps, session.user_id, guess, found);
  const factor = await reauthenticate(deps, caller, session, check, verifyCode);
  const verification = await store(deps, caller, session, factor);
  if (!verification) return countWrongAnswer(deps, caller, session, check);
  return issueVerified(deps, session, verification);
}

/** Returns undefined if the code was used in the meantime. */
function store(deps: Deps, caller: Caller, session: SessionState, factor: Factor): Promise<Verification | undefined> {
  const now = deps.clock.now();
  const { user_id } = session;
  return transact(deps.db, async (tx) => {
    // Lock order: users, factors, sessions (avoids deadlocks).
    const owner = await lockUser(tx, user_id);
    if (owner?.status !== 'active') throw notSignedIn();
    if (owner.mfa_enabled_at === null) throw isOff();
    if (!(await consumeFactor(tx, { user_id, factor, now }))) return undefined;
    const verification = await markVerified(tx, deps, session, now);
    const { method } = factor;
    await recordAudit(tx, caller, { action, now, resource_type: 'user', resource_id: user_id, metadata: { method } });
    if (method === 'recovery_code') await notifyWithinLimit(tx, deps, owner, codeUsed);
    return verification;
  });
}
