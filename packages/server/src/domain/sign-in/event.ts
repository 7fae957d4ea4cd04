import { NIL_UUID } from '@gatehouse/contract';
import { type Count, type Counter, isOver } from '../../platform/limiter/queries.ts';
import type { RefusalReason } from '../audit/events.ts';
import type { AuditInsert } from '../audit/queries.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { alarmsOf, failureCounters } from '../limits/failed-attempts.ts';
import { insertFailure } from '../limits/queries.ts';
import type { SignInFacts } from './complete.ts';
import type { Account } from './queries.ts';

export interface AttemptedMethod {
  readonly method: 'password' | 'email_otp';
  readonly action: (
    outcome: SignInFacts['outcome'],
  ) => 'auth.login' | 'auth.email_otp.succeeded' | 'auth.email_otp.failed';
}

/** The audit row of a sign-in. Never contains what was typed, in particular for an unknown account. */
export const signInRow = (
  deps: Deps,
  caller: Caller,
  attempted: AttemptedMethod,
  account: Account | undefined,
  facts: SignInFacts,
): AuditInsert =>
  auditRow(caller, {
    action: attempted.action(facts.outcome),
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: account?.id ?? NIL_UUID,
    organization_id: facts.organization_id,
    // Wrong credentials prove no account. With any other reason, the password or code was right.
    actor_id: facts.metadata.reason === 'credentials' ? null : (account?.id ?? null),
    outcome: facts.outcome,
    metadata: { method: attempted.method, ...facts.metadata },
  });

interface WrongGuess {
  readonly account: Account | undefined;
  readonly counters: readonly Counter[];
  readonly reason: RefusalReason;
}

/** Counts and audits a wrong guess, for unknown accounts too. Returns the count that is over its quota, if any. */
export async function recordWrongGuess(
  deps: Deps,
  caller: Caller,
  attempted: AttemptedMethod,
  { account, counters, reason }: WrongGuess,
): Promise<Count | undefined> {
  const organization_id = account?.organization_id ?? NIL_UUID;
  const facts = { organization_id, outcome: 'failure', metadata: { reason } } as const;
  const row = signInRow(deps, caller, attempted, account, facts);
  const alarms = alarmsOf(deps, caller, failureCounters(deps, caller));
  const counts = await insertFailure(deps.db, { counters, alarms, audit: row, now: deps.clock.now() });
  return counts.find((count) => isOver(counters, count));
}
