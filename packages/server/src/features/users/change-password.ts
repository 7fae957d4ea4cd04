import type { PasswordChangeRequest } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { confirmPassword } from '../../domain/authorization/confirm-password.ts';
import { readAuth, requireFreshAuth, requireSecondFactor } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials, notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { deleteMfaTokens } from '../../domain/mfa/queries.ts';
import { clearWrongCodes } from '../../domain/mfa/wrong-codes.ts';
import { deleteOneTimeTokens } from '../../domain/one-time/queries.ts';
import { hashNewPassword } from '../../domain/passwords/new-password.ts';
import { findCredentials } from '../../domain/passwords/queries.ts';
import { rememberOwnCredential } from '../../domain/sessions/queries.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { updatePassword } from '../../domain/unproven/queries.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { transact } from '../../platform/db/transact.ts';

const ACTION = 'auth.password.changed';

/**
 * POST /users/me/password: current and new password → 204. Revokes all other sessions, trusted browsers and mailed
 * codes and links. Setting a first password requires fresh authentication instead.
 */
export async function changePassword(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { current_password, new_password }: PasswordChangeRequest,
): Promise<void> {
  const checked_hash = await requireCurrentPassword(deps, caller, session, current_password);
  if (checked_hash !== null && current_password === new_password) {
    throw new ServiceError('invalid_input', 'new_password: must differ from the current one');
  }
  const new_hash = await hashNewPassword(deps, caller, { field: 'new_password', password: new_password });
  const write = (checked_hash: string | null) => writePassword(deps, caller, session, { checked_hash, new_hash });

  if (await write(checked_hash)) return;
  // A concurrent sign-in may have stored a stronger hash of the same password.
  const user = await findCredentials(deps.db, session.user_id);
  const stored = user?.password_hash ?? null;
  const stillMatches =
    current_password !== undefined &&
    (await deps.passwords.verify({ stored, password: current_password, who: caller.network }));
  if (!stillMatches || !(await write(stored))) throw badCredentials();
}

interface NewPassword {
  readonly checked_hash: string | null;
  readonly new_hash: string;
}

/** Returns false if the password is no longer the one that was checked. */
function writePassword(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { checked_hash, new_hash }: NewPassword,
): Promise<boolean> {
  const now = deps.clock.now();
  const { user_id, session_id } = session;
  return transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent sign-in with the old password waits. See `revokeUserSessions`.
    const user = await updatePassword(tx, { user_id, checked_hash, new_hash, now });
    if (!user) return false;
    const current = await readAuth(tx, session, now);
    requireSecondFactor(current.session, current.owner);
    await rememberOwnCredential(tx, session_id, 'password');
    await revokeUserSessions(tx, deps, { user_id, except: session_id, grants: 'of sessions', now });
    await revokeTrustedBrowsers(tx, user_id, now);
    await deleteMfaTokens(tx, user_id);
    await clearWrongCodes(tx, deps, user_id);
    await deleteOneTimeTokens(tx, user_id, ['password_reset', 'login_code', 'email_change'], now);
    await recordAudit(tx, caller, { action: ACTION, now, resource_type: 'user', resource_id: user_id, metadata: {} });
    await notifyWithinLimit(tx, deps, user, { template: 'password_changed', params: {} });
    return true;
  });
}

/** Returns the verified hash, or null if there is no password yet. */
async function requireCurrentPassword(deps: Deps, caller: Caller, session: SessionState, given: string | undefined) {
  const user = await findCredentials(deps.db, session.user_id);
  if (!user) throw notSignedIn();
  if (user.password_hash === null) {
    requireFreshAuth(deps, session, { mfa_enabled: user.mfa_enabled_at !== null });
    return null;
  }
  return confirmPassword(deps, caller, session, { field: 'current_password', given, action: ACTION, metadata: {} });
}
