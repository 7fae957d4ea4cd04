import { type AuditAction, LIMITS } from '@gatehouse/contract';
import type { MetadataOf } from '../audit/events.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { notSignedIn, ServiceError } from '../kernel/service-error.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { findCredentials } from '../passwords/queries.ts';
import { rememberOwnCredential } from '../sessions/queries.ts';
import { mayBeUnproven } from '../unproven/unproven.ts';
import { requireRecentAuth } from './fresh-auth.ts';
import { reauthenticate } from './reauthenticate.ts';

interface Confirmation<A extends AuditAction> {
  /** The name of the field in the body, for the error message if it is missing. */
  readonly field: 'password' | 'current_password';
  readonly given: string | undefined;
  /** The action that needs the password: a wrong password is audited under it. */
  readonly action: A;
  readonly metadata: MetadataOf<A>;
}

/**
 * Verifies the password of a signed-in user again. A user without a password needs a recent sign-in or second factor
 * instead. Returns the hash that the password was checked against.
 */
export async function confirmPassword<A extends AuditAction>(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { field, given, action, metadata }: Confirmation<A>,
): Promise<string | null> {
  const user = await findCredentials(deps.db, session.user_id);
  if (!user) throw notSignedIn();
  const { password_hash, mfa_enabled_at } = user;
  if (password_hash === null) {
    requireRecentAuth(deps, session, { mfa_enabled: mfa_enabled_at !== null }, LIMITS.stepUpWindow);
    return null;
  }
  if (given === undefined) throw new ServiceError('invalid_input', `${field}: is required`);
  const question = { about: 'confirm password', action, metadata } as const;
  const checked = await reauthenticate(deps, caller, session, question, async () =>
    (await deps.passwords.verify({ stored: password_hash, password: given, who: caller.network }))
      ? password_hash
      : undefined,
  );
  if (mayBeUnproven(session)) await rememberOwnCredential(deps.db, session.session_id, 'password');
  return checked;
}
