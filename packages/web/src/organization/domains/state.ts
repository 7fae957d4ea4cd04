import type { Domain } from '@gatehouse/contract';

/** A domain whose record is missing is failing at first, and lapsed after seven days. */
export function stateOf({ status, failing_since }: Domain): 'pending' | 'verified' | 'failing' | 'lapsed' {
  if (failing_since === null) return status;
  return status === 'verified' ? 'failing' : 'lapsed';
}
