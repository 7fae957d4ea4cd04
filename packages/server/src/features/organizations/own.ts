import type { Organization } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { findOrganization } from '../../domain/organizations/queries.ts';
import { describeOrganization } from './describe.ts';
import { noSuchOrganization } from './find.ts';

/** docs/reference/organizations.md#own-organizations: GET /orgs/:org_id. */
export async function findOwn({ db }: Deps, organization_id: string): Promise<Organization> {
  const row = await findOrganization(db, organization_id);
  if (!row) throw noSuchOrganization();
  return describeOrganization(row);
}
