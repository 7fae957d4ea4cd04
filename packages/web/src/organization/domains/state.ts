import { isGatehouseError } from '@gatehouse/client';
import type { Domain } from '@gatehouse/contract';

/** A domain whose record is missing is failing at first, and lapsed after seven days. */
export function stateOf({ status, failing_since }: Domain): 'pending' | 'verified' | 'failing' | 'lapsed' {
  if (failing_since === null) return status;
  return status === 'verified' ? 'failing' : 'lapsed';
}

/** Returns why a domain could not be verified. The service has one error code for this; its message names the cause. */
export function refusalOf(error: unknown): 'taken' | 'silent' | 'missing' {
  const message = isGatehouseError(error) ? error.message : '';
  if (message.includes('another organization')) return 'taken';
  return message.includes('did not answer') ? 'silent' : 'missing';
}
