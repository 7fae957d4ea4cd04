import type { AuditPage, AuditQuery } from '@gatehouse/contract';
import { describeAuditRow } from '../../domain/audit/describe.ts';
import { asOrganizationSees } from '../../domain/audit/visibility.ts';
import type { Deps } from '../../domain/context.ts';
import type { Paging } from '../../http/page-query.ts';
import { listAuditRows } from './queries.ts';
import { isEmpty, readRange } from './time-range.ts';

/**
 * §4.10 GET /audit-logs, and GET /orgs/:org_id/audit-logs (docs/reference/organizations.md#audit-events): a page of the
 * audit trail, newest first, with the exact total. `seen_by`: only rows that are visible to this organization.
 */
export async function listAudit(
  { db }: Deps,
  { user_id, action, organization_id, outcome, resource_type, resource_id, ...moments }: AuditQuery,
  { offset, page, page_size }: Paging,
  seen_by?: string,
): Promise<AuditPage> {
  const range = readRange(moments);
  if (isEmpty(range)) return { items: [], total: 0, page, page_size };
  const filter = { seen_by, user_id, action, organization_id, outcome, resource_type, resource_id, ...range };
  const { rows, total } = await listAuditRows(db, { ...filter, offset, limit: page_size });
  const shown = seen_by === undefined ? rows : rows.map(asOrganizationSees);
  return { items: shown.map(describeAuditRow), total, page, page_size };
}
