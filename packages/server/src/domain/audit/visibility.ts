import type { AuditAction } from '@gatehouse/contract';
import type { Caller } from '../kernel/caller.ts';
import type { Visibility } from './queries.ts';

const SHOWN_ACTS_OF_PLATFORM: ReadonlySet<AuditAction> = new Set([
  'org.suspended',
  'org.restored',
  'member.disabled',
  'member.enabled',
  'member.removed',
]);

/**
 * docs/reference/organizations.md#audit-events: how much of an audit row its organization sees, wherever the row is
 * read. Decided when the row is written and stored with it; `VISIBILITY` in `queries.ts` reads it.
 */
export const visibilityOf = ({ is_platform }: Caller, action: AuditAction): Visibility =>
  !is_platform ? 'full' : SHOWN_ACTS_OF_PLATFORM.has(action) ? 'redacted' : 'hidden';

interface Actor {
  readonly actor_id: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

export const asOrganizationSees = <Row extends Actor & { readonly visibility: Visibility }>(row: Row): Row =>
  row.visibility === 'full' ? row : { ...row, actor_id: null, ip_address: null, user_agent: null, request_id: null };
