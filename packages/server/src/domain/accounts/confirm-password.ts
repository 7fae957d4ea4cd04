import { type AuditAction, LIMITS } from '@gatehouse/contract';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { deleteCounter, findFullUntil } from '../../platform/limiter/queries.ts';
import { requireFresh } from '../access/way-in.ts';
import type { MetadataOf } from '../audit/events.ts';
import { auditRow } from '../audit/record.ts';
import type { Caller, Deps } from '../context.ts';
import { badCredentials, notSignedIn, ServiceError, tooManyWrong } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';
import { insertFailure } from '../sign-in/queries.ts';
import { findCredentials } from './queries.ts';

interface Asked<A extends AuditAction> {
  /** As it stands in the body, for the message when it is missing. */
  readonly field: 'password' | 'current_password';
  readonly given: string | undefined;
  /** What is about to be done: a wrong password is told under this name. */
  readonly action: A;
  readonly metadata: MetadataOf<A>;
}

/**
 * The password of somebody who is signed in, asked once more; five wrong ones in a row lock the question for a while. Who
 * has none gives a fresh sign-in or second factor instead. Returns the hash it was checked against.
 */
export async function confirmPassword<A extends AuditAction>(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  asked: Asked<A>,
): Promise<string | null> {
  const { clock, config, db, limiter, passwords } = deps;
  const user = await findCredentials(db, session.user_id);
  if (!user) throw notSignedIn();
  if (user.password_hash === null) {
    requireFresh(deps, session, LIMITS.stepUpWindow);
    return null;
  }
  if (asked.given === undefined) throw new ServiceError('invalid_input', `${asked.field}: is required`);
  const counter = limiter.counter('confirm password', session.user_id, config.LIMIT_SIGNED_IN_CHECK, { inRow: true });
  const full = await findFullUntil(db, [counter], clock.now());
  if (full) throw tooManyWrong(secondsUntil(full, clock.now()));
  const matches = await passwords.verify(user.password_hash, asked.given, caller.network);
  const now = clock.now();
  if (!matches) {
    const event = { action: asked.action, now, resource_type: 'user', resource_id: session.user_id } as const;
    const row = auditRow(caller, { ...event, metadata: asked.metadata, outcome: 'failure' });
    const [count] = await insertFailure(db, [counter], row, now);
    throw count!.count > counter.quota.count ? tooManyWrong(secondsUntil(count!.resets_at, now)) : badCredentials();
  }
  // Guesses are judged in parallel; a right one counts only while the row of wrong ones is not full.
  const lockedUntil = await deleteCounter(db, counter, now);
  if (lockedUntil) throw tooManyWrong(secondsUntil(lockedUntil, now));
  return user.password_hash;
}
