import type { Tx } from '../../platform/db/connect.ts';
import { revokeTrustedBrowsers } from '../trusted-browsers/queries.ts';
import { deleteMfa, deleteMfaTokens } from './queries.ts';

/** Removes the second factor, trusted browsers and pending sign-ins. The user's row must be locked. */
export async function clearMfa(tx: Tx, user_id: string, now: Date): Promise<void> {
  await deleteMfa(tx, user_id, now);
  await revokeTrustedBrowsers(tx, user_id, now);
  await deleteMfaTokens(tx, user_id);
}
