import type { Organization } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findOrganization } from '../../domain/organizations/queries.ts';
import { describeOrganization } from './describe.ts';

/** GET /admin/orgs/:id: any organization, suspended or not. */
export async function findOne({ db }: Deps, id: string): Promise<Organization> {
  const row = await findOrganization(db, id);
  if (!row) throw noSuchOrganization();
  return describeOrganization(row);
}

export const noSuchOrganization = () => new ServiceError('not_found', 'there is no such organization');
