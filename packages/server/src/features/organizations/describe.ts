import type { Organization } from '@gatehouse/contract';
import type { CountedOrganization } from '../../domain/organizations/queries.ts';

/** §2.7: the API view of an organization. */
export const describeOrganization = ({
  id,
  name,
  slug,
  created_at,
  suspended_at,
  member_count,
}: CountedOrganization): Organization => ({
  id,
  name,
  slug,
  created_at: created_at.toISOString(),
  suspended: suspended_at !== null,
  member_count,
});
