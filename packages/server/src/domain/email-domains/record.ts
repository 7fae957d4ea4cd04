import type { Deps } from '../context.ts';
import type { DomainRow } from './queries.ts';

/** docs/reference/policy-and-sso.md#domains: the TXT record that proves the ownership of a domain. */
export const recordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) =>
  ({ type: 'TXT', name: `_gatehouse.${domain}`, value: `gatehouse-domain=${token}` }) as const;

/** `unanswered`: DNS failed temporarily, so it is unknown whether the record exists. */
export type RecordState = 'found' | 'missing' | 'unanswered';

/** Looks up the record. Rejects with `NoRoom` if too many look-ups are waiting. */
export async function lookUpRecord({ txtLookup }: Deps, row: DomainRow): Promise<RecordState> {
  const { name, value } = recordOf(row);
  const values = await txtLookup.find(row.organization_id, name);
  if (values === undefined) return 'unanswered';
  return values.includes(value) ? 'found' : 'missing';
}
