import type { AuditAction, AuditRow } from '@gatehouse/contract';
import type { Text } from './text/en.ts';

/** Returns the label of an action, or its name if it is from a later version. */
export const actionName = (action: string, t: Text): string =>
  Object.hasOwn(t.actions, action) ? t.actions[action as AuditAction] : action;

export const outcomeName = (outcome: string, t: Text): string =>
  (Object.hasOwn(t.outcomes, outcome) ? t.outcomes[outcome] : undefined) ?? outcome;

/** The actor of an event without a user: an anonymous visitor, or the service if there was no request. */
export const anonymousName = (row: AuditRow, t: Text): string => (row.request_id === null ? t.service : t.nobody);
