import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { Schema } from '../../platform/db/schema.ts';

export const insertAuditEvent = (tx: Tx, row: Insertable<Schema['audit_events']>) =>
  tx.insertInto('audit_events').values(row).execute();

/** This month's partition and the next one's, long before the month begins. */
export const ensureAuditMonths = (db: Db, now: Date) =>
  sql`select ensure_audit_month(${now}::timestamptz), ensure_audit_month(${now}::timestamptz + interval '1 month')`.execute(
    db,
  );
