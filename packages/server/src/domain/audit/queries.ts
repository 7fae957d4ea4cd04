import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { Schema } from '../../platform/db/schema.ts';

export type AuditInsert = Insertable<Schema['audit_events']>;

export const insertAuditEvent = (db: Db | Tx, row: AuditInsert) => db.insertInto('audit_events').values(row).execute();

/** `insertAuditEvent` as an SQL fragment: writes the rows if `source`, another CTE of the statement, has a row. */
export const auditAlong = (rows: readonly AuditInsert[], source: RawBuilder<unknown>): RawBuilder<unknown> => {
  const values = rows.map(
    (
      row,
    ) => sql`(${row.event_id}::uuid, ${row.timestamp}::timestamptz, ${row.organization_id}::uuid, ${row.actor_id}::uuid,
      ${row.actor_type}::text, ${row.action}::text, ${row.resource_type}::text, ${row.resource_id}::text,
      ${row.ip_address}::text, ${row.user_agent}::text, ${row.request_id}::uuid, ${row.metadata}::jsonb, ${row.outcome}::text)`,
  );
  return sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
    resource_id, ip_address, user_agent, request_id, metadata, outcome)
    select event.* from (values ${sql.join(values)}) as event where exists (select from ${source})`;
};

/** Creates the partitions of this month and the next. */
export const ensureAuditMonths = (db: Db, now: Date) =>
  sql`select ensure_audit_month(${now}::timestamptz), ensure_audit_month(${now}::timestamptz + interval '1 month')`.execute(
    db,
  );
