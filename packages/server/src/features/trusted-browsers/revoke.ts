import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findOwnBrowser, revokeBrowser } from '../../domain/trusted-browsers/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import { equalBytes } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';

interface BrowserToRevoke {
  readonly id: string;
  /** The token hash of the requesting browser. */
  readonly trust_hash: Buffer | undefined;
}

/**
 * DELETE /auth/trusted-browsers/:id: 204 also for a browser of the user whose trust was revoked or has expired; 404 for
 * an unknown id or a browser of another user. Returns whether it is the requesting browser.
 */
export async function revokeOne(
  deps: Deps,
  caller: Caller,
  { user_id }: SessionState,
  { id, trust_hash }: BrowserToRevoke,
): Promise<boolean> {
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    // Lock order: users, trusted browsers (avoids deadlocks with a sign-in that trusts this browser).
    await lockUser(tx, user_id);
    const browser = await findOwnBrowser(tx, { id, user_id });
    if (!browser) throw new ServiceError('not_found', 'there is no such trusted browser');
    if (await revokeBrowser(tx, id, now)) {
      await recordAudit(tx, caller, {
        action: 'trusted_browser.revoked',
        now,
        resource_type: 'trusted_browser',
        resource_id: id,
        metadata: {},
      });
    }
    const { token_hash } = browser;
    return token_hash !== null && trust_hash !== undefined && equalBytes(token_hash, trust_hash);
  });
}
