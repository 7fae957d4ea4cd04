import type { Tx } from '../../platform/db/connect.ts';
import { revokeTrustedBrowsers } from '../trusted-browsers/queries.ts';
import { deleteMfa, deleteMfaTokens } from './queries.ts';

/** All that a second factor consists of and that stands in for it. The user's row is held. */
export async function clearMfa(tx: Tx, user_id: string, now: Date): Promise<void> {
  await deleteMfa(tx, user_id, now);
  await revokeTrustedBrowsers(tx, user_id, now);
  await deleteMfaTokens(tx, user_id);
}
