import { LIMITS, type TrustBrowserRequest, type TrustedBrowser } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { readAuth, requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { nameOfUserAgent } from '../../domain/kernel/user-agent.ts';
import { insertTrustedBrowser, revokeReplaced } from '../../domain/trusted-browsers/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import { after } from '../../platform/clock.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { describeBrowser } from './describe.ts';

interface TrustRequest extends TrustBrowserRequest {
  /** The token hash of this browser, if it was trusted before. */
  readonly trust_hash: Buffer | undefined;
}

interface Trusted {
  readonly browser: TrustedBrowser;
  /** Value of the cookie. Only its hash is stored. */
  readonly token: string;
}

/**
 * POST /auth/trusted-browsers: this browser replaces the second factor of this user from now on. A browser that is
 * already trusted gets a new entry that replaces the old one.
 */
export async function trustBrowser(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { name, trust_hash }: TrustRequest,
): Promise<Trusted> {
  const now = deps.clock.now();
  const { user_id } = session;
  const token = randomToken();
  const row = {
    id: uuid(),
    user_id,
    token_hash: hashToken(token),
    name: name?.trim() ?? nameOfUserAgent(caller.user_agent),
    user_agent: caller.user_agent,
    created_at: now,
    last_used_at: null,
    expires_at: after(now, LIMITS.trustedBrowser),
    revoked_at: null,
  };

  const keep = LIMITS.trustedBrowsersPerUser - 1;
  const audit = (tx: Tx, action: 'trusted_browser.added' | 'trusted_browser.revoked', resource_id: string) =>
    recordAudit(tx, caller, { action, now, resource_type: 'trusted_browser', resource_id, metadata: {} });
  const inserted = await transact(deps.db, async (tx) => {
    // Enabling MFA or changing the password locks the user's row and then revokes trusted browsers: it either commits
    // first and is seen below, or waits and revokes the new entry.
    await lockUser(tx, user_id);
    const current = await readAuth(tx, session, now);
    requireFreshAuth(deps, current.session, current.owner);
    for (const id of await revokeReplaced(tx, { user_id, trust_hash, keep, now })) {
      await audit(tx, 'trusted_browser.revoked', id);
    }
    const inserted = await insertTrustedBrowser(tx, row);
    await audit(tx, 'trusted_browser.added', row.id);
    return inserted;
  });
  return { browser: describeBrowser(inserted), token };
}
