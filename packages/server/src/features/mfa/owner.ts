import { requireSecondFactor } from '../../domain/authorization/fresh-auth.ts';
import { badCredentials, notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findLiveSession } from '../../domain/sessions/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

type MfaOwner = NonNullable<Awaited<ReturnType<typeof lockUser>>>;

/** Locks the user's row after a password confirmation, and checks that password hash and session are still valid. */
export async function requireOwner(
  tx: Tx,
  { user_id, session_id }: SessionState,
  { checked_hash, now }: { checked_hash: string | null; now: Date },
): Promise<MfaOwner> {
  const owner = await lockUser(tx, user_id);
  const session = owner && (await findLiveSession(tx, session_id, now));
  if (!session) throw notSignedIn();
  requireSecondFactor(session, { mfa_enabled: owner.mfa_enabled_at !== null });
  if (owner.password_hash !== checked_hash) throw badCredentials();
  return owner;
}
