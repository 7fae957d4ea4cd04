import type { DomainList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listDomains } from '../../domain/email-domains/queries.ts';
import { describeDomain } from './describe.ts';

export async function listAllDomains({ db }: Deps, organization_id: string): Promise<DomainList> {
  return { items: (await listDomains(db, organization_id)).map(describeDomain) };
}
