import { type AuditAction, NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { Tx } from '../../platform/db/connect.ts';
import type { Caller } from '../kernel/caller.ts';
import { actorOf } from '../kernel/principal.ts';
import type { AuditEvent } from './events.ts';
import { type AuditInsert, insertAuditEvent } from './queries.ts';
import { visibilityOf } from './visibility.ts';

/** Builds the audit row of an event, for a statement that inserts it together with the audited change. */
export function auditRow<A extends AuditAction>(caller: Caller, event: AuditEvent<A>): AuditInsert {
  const principal = caller.principal && actorOf(caller.principal);
  return {
    event_id: uuid(),
    timestamp: event.now,
    organization_id: event.organization_id ?? principal?.organization_id ?? NIL_UUID,
    ...actor(caller, event.actor_id === undefined ? principal : named(event.actor_id)),
    action: event.action,
    resource_type: event.resource_type,
    resource_id: event.resource_id,
    ip_address: caller.ip_address,
    user_agent: caller.user_agent,
    request_id: caller.request_id,
    metadata: JSON.stringify(event.metadata),
    outcome: event.outcome ?? 'success',
    visibility: visibilityOf(caller, event.action),
  };
}

type Actor = Pick<AuditInsert, 'actor_id' | 'actor_type'>;

/** The user who signs in or registers with this request, if known. */
const named = (actor_id: string | null): Actor | undefined =>
  actor_id === null ? undefined : { actor_id, actor_type: 'user' };

/**
 * docs/reference/operations.md#audit-trail. Without a request, the caller is the service itself or the command line.
 */
const actor = (caller: Caller, known: Actor | undefined): Actor => ({
  actor_id: known?.actor_id ?? null,
  actor_type: known?.actor_type ?? (caller.request_id === null ? 'system' : 'anonymous'),
});

/** §2.3, §6: the row is written in the transaction of the change, so neither exists without the other. */
export async function recordAudit<A extends AuditAction>(tx: Tx, caller: Caller, event: AuditEvent<A>): Promise<void> {
  await insertAuditEvent(tx, auditRow(caller, event));
}

export async function recordAudits<A extends AuditAction>(
  tx: Tx,
  caller: Caller,
  events: readonly AuditEvent<A>[],
): Promise<void> {
  if (events.length > 0) await insertAuditEvent(tx, ...events.map((event) => auditRow(caller, event)));
}
