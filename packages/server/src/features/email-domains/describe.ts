import type { Domain } from '@gatehouse/contract';
import type { DomainRow } from '../../domain/email-domains/queries.ts';
import { recordOf } from '../../domain/email-domains/record.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';

export const describeDomain = (row: DomainRow): Domain => ({
  id: row.id,
  domain: row.domain,
  status: row.verified_at === null ? 'pending' : 'verified',
  record: recordOf(row),
  verified_at: row.verified_at?.toISOString() ?? null,
  checked_at: row.checked_at?.toISOString() ?? null,
  failing_since: row.failing_since?.toISOString() ?? null,
});

export const noSuchDomain = () => new ServiceError('not_found', 'there is no such domain');
