import type { Organization } from '@gatehouse/contract';
import type { OrganizationRecord } from '../../domain/organizations/queries.ts';

/** §2.7 */
export const describeOrganization = ({
  id,
  name,
  slug,
  created_at,
  suspended_at,
}: OrganizationRecord): Organization => ({
  id,
  name,
  slug,
  created_at: created_at.toISOString(),
  suspended: suspended_at !== null,
});
