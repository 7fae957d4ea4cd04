import type { OwnOrganization } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countMembers } from '../../domain/memberships/queries.ts';
import { findOrganization } from '../../domain/organizations/queries.ts';
import { describeOrganization } from './describe.ts';
import { noSuchOrganization } from './find.ts';

/** The contract, section 10, GET /orgs/:org_id. */
export async function findOwn({ db }: Deps, organization_id: string): Promise<OwnOrganization> {
  const [row, member_count] = await Promise.all([
    findOrganization(db, organization_id),
    countMembers(db, { organization_id }),
  ]);
  if (!row) throw noSuchOrganization();
  return { ...describeOrganization(row), member_count };
}
