import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { type KeyFilter, renewSids, revokeKeys } from './queries.ts';

/** Ends active keys: in this service at once, at token verifiers by the revocation feed. Returns the ended keys. */
export async function endKeys(tx: Tx, deps: Deps, which: KeyFilter, now: Date) {
  const ended = await revokeKeys(tx, which, now);
  const accounts = new Set(ended.map(({ service_account_id }) => service_account_id));
  await deps.bus.announce(
    tx,
    now,
    [...accounts].map((key) => ({ topic: 'user', key })),
  );
  return ended;
}

/** Ends the tokens of machines of suspended organizations. The caller has updated these, and announces the change. */
export const endMachineTokens = (tx: Tx, organization_ids: readonly string[], now: Date) =>
  renewSids(tx, { organization_ids }, now);
