import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Count, type Counter, countEach, filledBy, fullUntil } from '../../platform/limiter/queries.ts';
import { type AuditInsert, auditAlong } from '../audit/queries.ts';

/** An audit row that is written when its counter becomes full: once in each period, also with concurrent failures. */
export interface Alarm {
  readonly counter: Counter;
  readonly row: AuditInsert;
}

/** CTEs that write the audit rows, for a statement whose CTE `counted` has the new counts. Each ends with a comma. */
const alarmsAlong = (alarms: readonly Alarm[]): RawBuilder<unknown> =>
  sql.join(
    alarms.map(
      ({ counter, row }, index) =>
        sql`${sql.raw(`alarm_${index}`)} as (${auditAlong([row], filledBy(counter, sql`counted`))}),`,
    ),
    sql` `,
  );

export async function insertFailedAttempt(db: Db, alarms: readonly Alarm[], now: Date): Promise<void> {
  const counters = alarms.map(({ counter }) => counter);
  await sql`
    with unlimited as materialized (select where ${fullUntil(counters, now)} is null),
    counted as (${countEach(counters, now, { source: sql`unlimited` })}),
    ${alarmsAlong(alarms)}
    written as (select from counted)
    select from written`.execute(db);
}

interface Failure {
  readonly counters: readonly Counter[];
  /** Counters that this statement increments as well, each with the audit row that is written when it becomes full. */
  readonly alarms?: readonly Alarm[];
  readonly audit: AuditInsert;
  readonly now: Date;
}

/** A wrong guess: counted and audited in one statement. Returns the new counts. */
export async function insertFailure(db: Db, { counters, alarms = [], audit, now }: Failure): Promise<Count[]> {
  const all = [...counters, ...alarms.map(({ counter }) => counter)];
  const { rows } = await sql<Count>`
    with counted as (${countEach(all, now)}),
    ${alarmsAlong(alarms)}
    audit_row as (${auditAlong([audit], sql`(select 1) as always`)})
    select key, count, resets_at from counted`.execute(db);
  return rows;
}
