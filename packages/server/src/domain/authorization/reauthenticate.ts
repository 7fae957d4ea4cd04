import type { AuditAction } from '@gatehouse/contract';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, deleteCounter, findFullUntil, isOver } from '../../platform/limiter/queries.ts';
import type { MetadataOf } from '../audit/events.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { tooManyWrong, wrongAnswer } from '../kernel/service-error.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { insertFailure } from '../limits/queries.ts';

interface Question<A extends AuditAction> {
  readonly about: 'confirm password' | 'enable totp' | 'verify totp' | 'verify recovery code';
  /** The action that needs the check: a wrong answer is audited under it. */
  readonly action: A;
  readonly metadata: MetadataOf<A>;
  readonly counters?: readonly Counter[];
}

const WRONG: Record<Question<AuditAction>['about'], string> = {
  'confirm password': 'the password is wrong',
  'enable totp': 'the code does not match; check the clock of the device',
  'verify totp': 'the code does not match, or was already used; wait for the next one',
  'verify recovery code': 'the recovery code is wrong, or was already used',
};

/**
 * docs/reference/http.md#limits: a wrong answer is 401, and five in a row lock the check for a while (429). `verify`
 * returns undefined for a wrong answer; otherwise its result is returned.
 */
export async function reauthenticate<A extends AuditAction, T>(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  question: Question<A>,
  verify: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const { clock, db } = deps;
  const counter = counterOf(deps, session, question);
  const full = await findFullUntil(db, [counter, ...(question.counters ?? [])], clock.now());
  if (full) throw tooManyWrong(secondsUntil(full, clock.now()));
  const result = await verify();
  if (result === undefined) return countWrongAnswer(deps, caller, session, question);
  // Answers are verified concurrently; a right one counts only while the counter of wrong ones is not full.
  const lockedUntil = await deleteCounter(db, counter, clock.now());
  if (lockedUntil) throw tooManyWrong(secondsUntil(lockedUntil, clock.now()));
  return result;
}

/** Counts and audits a wrong answer, and throws. Also for a right answer that a concurrent request has consumed. */
export async function countWrongAnswer<A extends AuditAction>(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  question: Question<A>,
): Promise<never> {
  const now = deps.clock.now();
  const counter = counterOf(deps, session, question);
  const { action, metadata, counters: more = [] } = question;
  const counters = [counter, ...more];
  const event = { action, now, resource_type: 'user', resource_id: session.user_id, metadata } as const;
  const audit = auditRow(caller, { ...event, outcome: 'failure' });
  const counts = await insertFailure(deps.db, { counters, audit, now });
  const over = counts.find((count) => isOver(counters, count));
  throw over ? tooManyWrong(secondsUntil(over.resets_at, now)) : wrongAnswer(WRONG[question.about]);
}

const counterOf = (
  { limiter, config }: Deps,
  { user_id }: SessionState,
  { about }: { about: Question<AuditAction>['about'] },
): Counter => limiter.counter(about, user_id, config.LIMIT_SIGNED_IN_CHECK, { inRow: true });
