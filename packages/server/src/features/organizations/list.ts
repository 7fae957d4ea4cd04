import type { OrganizationPage } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listOrganizations, type OrganizationSort } from '../../domain/organizations/queries.ts';
import { describeOrganization } from './describe.ts';

interface Query {
  readonly q: string | undefined;
  readonly sort: OrganizationSort | undefined;
  readonly page: number;
  readonly page_size: number;
  readonly offset: number;
}

/**
 * §4.12, docs/reference/organizations.md#administration-of-organizations: GET /admin/orgs, a page of all organizations,
 * or of those whose name or slug contains `q`.
 */
export async function listAll(
  { db }: Deps,
  { q = '', sort, page, page_size, offset }: Query,
): Promise<OrganizationPage> {
  const { rows, total } = await listOrganizations(db, { q: q.trim(), sort, offset, limit: page_size });
  return { items: rows.map(describeOrganization), total, page, page_size };
}
