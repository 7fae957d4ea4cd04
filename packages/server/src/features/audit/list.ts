import type { AuditPage, AuditQuery } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Paging } from '../../http/page-query.ts';
import { describeAuditRow } from './describe.ts';
import { listAuditRows } from './queries.ts';
import { isEmpty, readRange } from './time-range.ts';

/** §4.10 GET /audit-logs: a page of the audit trail of all organizations, newest first, with the exact total. */
export async function listAudit(
  { db }: Deps,
  { user_id, action, organization_id, outcome, resource_type, resource_id, ...moments }: AuditQuery,
  { offset, page, page_size }: Paging,
): Promise<AuditPage> {
  const range = readRange(moments);
  if (isEmpty(range)) return { items: [], total: 0, page, page_size };
  const filter = { user_id, action, organization_id, outcome, resource_type, resource_id, ...range };
  const { rows, total } = await listAuditRows(db, { ...filter, offset, limit: page_size });
  return { items: rows.map(describeAuditRow), total, page, page_size };
}
