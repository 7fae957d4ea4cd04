import { NIL_UUID } from '@gatehouse/contract';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Operands } from '../../platform/db/batch.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { AuditEvents } from '../../platform/db/schema.ts';

/** An event without the columns that only the database uses. */
export type AuditRecord = Omit<Selectable<AuditEvents>, 'xid' | 'visibility'>;

/** What the organization of an audit row sees of it. `redacted`: the row without its actor. */
export type Visibility = NonNullable<Selectable<AuditEvents>['visibility']>;

export const AUDIT_COLUMNS = sql.raw(
  `id, event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type, resource_id, ip_address,
    user_agent, request_id, metadata, outcome`,
);

export type AuditInsert = Insertable<AuditEvents>;

/** A statement has at most 65,535 parameters. */
const ROWS_PER_STATEMENT = 1_000;

export async function insertAuditEvent(db: Db | Tx, ...rows: AuditInsert[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await db
      .insertInto('audit_events')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  }
}

const INSERTED = sql.raw(
  `event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type, resource_id, ip_address,
    user_agent, request_id, metadata, outcome, visibility`,
);

/** Values of an audit row that only the database knows, as columns of the source. */
interface KnownToStatement {
  readonly organization_id: RawBuilder<unknown>;
  readonly actor_id: RawBuilder<unknown>;
  readonly resource_id: RawBuilder<unknown>;
}

type GivenToStatement = Operands<Omit<AuditInsert, keyof KnownToStatement | 'timestamp'> & { readonly now: Date }>;

/** Writes one row for each row of `source`. */
export const auditEach = (row: GivenToStatement, known: KnownToStatement, source: RawBuilder<unknown>) =>
  sql`insert into audit_events (${INSERTED})
    select ${row.event_id}::uuid, ${row.now}::timestamptz, ${known.organization_id}, ${known.actor_id},
      ${row.actor_type}::text, ${row.action}::text, ${row.resource_type}::text, ${known.resource_id},
      ${row.ip_address}::text, ${row.user_agent}::text, ${row.request_id}::uuid, ${row.metadata}::jsonb,
      ${row.outcome}::text, ${row.visibility}::text
    from ${source}`;

/** `insertAuditEvent` as an SQL fragment: writes the rows if `source`, another CTE of the statement, has a row. */
export const auditAlong = (rows: readonly AuditInsert[], source: RawBuilder<unknown>): RawBuilder<unknown> => {
  const values = rows.map(
    (
      row,
    ) => sql`(${row.event_id}::uuid, ${row.timestamp}::timestamptz, ${row.organization_id}::uuid, ${row.actor_id}::uuid,
      ${row.actor_type}::text, ${row.action}::text, ${row.resource_type}::text, ${row.resource_id}::text,
      ${row.ip_address}::text, ${row.user_agent}::text, ${row.request_id}::uuid, ${row.metadata}::jsonb, ${row.outcome}::text,
      ${row.visibility}::text)`,
  );
  return sql`insert into audit_events (${INSERTED})
    select event.* from (values ${sql.join(values)}) as event where exists (select from ${source})`;
};

/**
 * What the organization of a row sees of it (`visibilityOf`). Rows from before version 0.2 store no visibility: all
 * that a platform endpoint or the command line may have written count as written by them.
 */
export const VISIBILITY = sql<Visibility>`coalesce(visibility, case
  when action in ('org.suspended', 'org.restored') then 'redacted'
  when request_id is null or metadata @> '{"reason": "administrator"}' or action in ('org.created', 'org.updated',
    'user.disabled', 'user.enabled', 'user.deleted', 'platform_role.changed', 'mfa.reset', 'feature_flag.updated',
    'feature_flag.deleted', 'integration.updated', 'integration.tested', 'audit.exported') then 'hidden'
  else 'full' end)`;

/** Must stay equal to the condition of `audit_events_organization_idx`, otherwise the index is not used. */
const VISIBLE_TO_ORGANIZATION = sql`organization_id <> ${sql.lit(NIL_UUID)} and ${VISIBILITY} <> 'hidden'`;

/** Equals `VISIBILITY = 'full'` for visible rows, but uses only columns of the index. */
const HAS_ACTOR = sql`(visibility = 'full' or visibility is null and action not in ('org.suspended', 'org.restored'))`;

/** The rows that an organization sees: all, or those whose shown actor is this user. */
export const isSeenBy = (organization_id: string, actor_id?: string | undefined): RawBuilder<unknown> => {
  const seen = sql`organization_id = ${organization_id}::uuid and ${VISIBLE_TO_ORGANIZATION}`;
  return actor_id === undefined ? seen : sql`${seen} and actor_id = ${actor_id}::uuid and ${HAS_ACTOR}`;
};

interface ActorPage {
  readonly actor_id: string;
  /** Only rows with lower ids. Left out: from the newest. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export async function listEventsOfActor(db: Db, { actor_id, before, limit }: ActorPage): Promise<AuditRecord[]> {
  const older = before === undefined ? sql`true` : sql`id < ${before}`;
  const { rows } = await sql<AuditRecord>`
    select ${AUDIT_COLUMNS} from audit_events where actor_id = ${actor_id}::uuid and ${older}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

export const ensureAuditMonths = (db: Db, now: Date) =>
  sql`select ensure_audit_month(${now}::timestamptz), ensure_audit_month(${now}::timestamptz + interval '1 month')`.execute(
    db,
  );
