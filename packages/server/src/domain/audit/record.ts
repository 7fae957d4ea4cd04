import { type AuditAction, NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { Tx } from '../../platform/db/connect.ts';
import { type Caller, SYSTEM } from '../context.ts';
import type { AuditEvent } from './events.ts';
import { type AuditInsert, insertAuditEvent } from './queries.ts';

/** The row of an event, for a statement that writes it along with the change it tells of. */
export function auditRow<A extends AuditAction>(caller: Caller, event: AuditEvent<A>): AuditInsert {
  const actor = event.actor_id === undefined ? (caller.session?.user_id ?? null) : event.actor_id;
  return {
    event_id: uuid(),
    timestamp: event.now,
    organization_id: event.organization_id ?? caller.session?.organization_id ?? NIL_UUID,
    actor_id: actor,
    actor_type: actorType(caller, actor),
    action: event.action,
    resource_type: event.resource_type,
    resource_id: event.resource_id,
    ip_address: caller.ip_address,
    user_agent: caller.user_agent,
    request_id: caller.request_id,
    metadata: JSON.stringify(event.metadata),
    outcome: event.outcome ?? 'success',
  };
}

/** The contract, section 9.4. */
const actorType = (caller: Caller, actor_id: string | null): string => {
  if (actor_id !== null) return 'user';
  return caller === SYSTEM ? 'system' : 'anonymous';
};

/** §2.3, §6: the row is written in the transaction of the change it tells of, so neither exists without the other. */
export async function recordAudit<A extends AuditAction>(tx: Tx, caller: Caller, event: AuditEvent<A>): Promise<void> {
  await insertAuditEvent(tx, auditRow(caller, event));
}
