import type { AuditAction } from '@gatehouse/contract';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, deleteCounter, findFullUntil, isOver } from '../../platform/limiter/queries.ts';
import type { MetadataOf } from '../audit/events.ts';
import { auditRow } from '../audit/record.ts';
import type { Caller, Deps } from '../context.ts';
import { tooManyWrong, wrongAnswer } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';
import { insertFailure } from '../sign-in/queries.ts';

/** What somebody who is signed in is asked once more. */
interface Question<A extends AuditAction> {
  readonly about: 'confirm password' | 'enable totp' | 'verify totp' | 'verify recovery code';
  /** What is about to be done: a wrong answer is told under this name. */
  readonly action: A;
  readonly metadata: MetadataOf<A>;
  /** Further counters of wrong answers. */
  readonly counters?: readonly Counter[];
}

const WRONG: Record<Question<AuditAction>['about'], string> = {
  'confirm password': 'the password is wrong',
  'enable totp': 'the code does not match; check the clock of the device',
  'verify totp': 'the code does not match, or was already used; wait for the next one',
  'verify recovery code': 'the recovery code is wrong, or was already used',
};

/**
 * The contract, section 1: a wrong answer is 401, and five in a row lock the question for a while (429). `judge` yields what
 * the right answer has shown; undefined: it was wrong.
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
  const shown = await verify();
  if (shown === undefined) return countWrongAnswer(deps, caller, session, question);
  // Answers are judged in parallel; a right one counts only while the row of wrong ones is not full.
  const lockedUntil = await deleteCounter(db, counter, clock.now());
  if (lockedUntil) throw tooManyWrong(secondsUntil(lockedUntil, clock.now()));
  return shown;
}

/** Counts a wrong answer and tells of it. Also for one that was right and has been used by somebody else since. */
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
