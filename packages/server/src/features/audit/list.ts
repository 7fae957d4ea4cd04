import type { AuditPage, AuditQuery } from '@gatehouse/contract';
import { describeAuditRow } from '../../domain/audit/describe.ts';
import { asOrganizationSees } from '../../domain/audit/visibility.ts';
import type { Deps } from '../../domain/context.ts';
import type { Paging } from '../../http/page-query.ts';
import { listAuditRows } from './queries.ts';
import { isEmpty, readRange } from './time-range.ts';

interface ListQuery extends AuditQuery {
  /** Only what this organization sees. Left out: the rows of all organizations. */
  readonly organization_id?: string;
}

/**
 * §4.10 GET /audit-logs, and GET /orgs/:org_id/audit-logs (the contract, section 10): a page of the audit trail, newest
 * first, with the exact total.
 */
export async function listAudit(
  { db }: Deps,
  { organization_id, user_id, action, ...moments }: ListQuery,
  { offset, page, page_size }: Paging,
): Promise<AuditPage> {
  const range = readRange(moments);
  if (isEmpty(range)) return { items: [], total: 0, page, page_size };
  const filter = { organization_id, user_id, action, ...range };
  const { rows, total } = await listAuditRows(db, { ...filter, offset, limit: page_size });
  const shown = organization_id === undefined ? rows : rows.map(asOrganizationSees);
  return { items: shown.map(describeAuditRow), total, page, page_size };
}
