import type { AuditAction, AuditRow } from '@gatehouse/contract';
import type { Text } from './text/en.ts';

/** As people say it. An action of a later version has only its own name. */
export const actionName = (action: string, t: Text): string =>
  Object.hasOwn(t.actions, action) ? t.actions[action as AuditAction] : action;

export const outcomeName = (outcome: string, t: Text): string =>
  (Object.hasOwn(t.outcomes, outcome) ? t.outcomes[outcome] : undefined) ?? outcome;

/** Of what nobody did who was signed in. A visitor we do not know has sent a request; the service itself and its commands have not. */
export const strangerName = (row: AuditRow, t: Text): string => (row.request_id === null ? t.service : t.nobody);
