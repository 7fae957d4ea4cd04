import type { Deps } from '../../../domain/context.ts';
import { markEmailVerified } from '../../../domain/endings/verified-email.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import { notSignedIn } from '../../../domain/kernel/service-error.ts';
import type { SessionState } from '../../../domain/kernel/session-state.ts';
import { isRevokedSession } from '../../../domain/sessions/queries.ts';
import { lockActiveUser } from '../../../domain/users/queries.ts';
import { transact } from '../../../platform/db/transact.ts';

/**
 * POST /auth/reclaim: a user who has just signed in by an emailed code owns the mailbox, so the email becomes verified
 * and everything that others may have added to the account is removed. If the email is verified already, nothing
 * changes.
 */
export async function reclaim(deps: Deps, caller: Caller, { user_id, session_id }: SessionState): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent sign-in or credential commits first and is removed, or is refused.
    const user = await lockActiveUser(tx, user_id);
    if (!user || (await isRevokedSession(tx, session_id))) throw notSignedIn();
    if (user.email_verified_at !== null) return;
    const { email } = user;
    const disown = { except: session_id, resetPolicies: true };
    await markEmailVerified(tx, deps, caller, { user_id, email, now, hasSession: true, disown });
  });
}
