import type { Caller } from '../../domain/kernel/caller.ts';
import { userSession } from '../../domain/kernel/principal.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findPolicyForUpdate } from '../../domain/policy/queries.ts';
import { type ConnectionRow, hasUsableConnection } from '../../domain/sso/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

export function sessionOf({ principal }: Caller): SessionState {
  const session = userSession(principal);
  if (!session) throw notSignedIn();
  return session;
}

interface LockedPolicy {
  readonly sso_required: boolean;
}

/** Locks the organization, which serializes the writes of connections and policy, after the user of the session. */
export async function lockPolicy(tx: Tx, { user_id, organization_id }: SessionState): Promise<LockedPolicy> {
  // The check of the permission locks the organization in share mode only; raising that lock could deadlock.
  await lockUser(tx, user_id);
  const found = await findPolicyForUpdate(tx, organization_id);
  return { sso_required: found?.policy?.sso_required ?? false };
}

/**
 * docs/reference/policy-and-sso.md#required-single-sign-on: while the policy requires single sign-on, one active
 * connection with a verified domain must remain. `before` is the connection before the change; callers must write the
 * change first.
 */
export async function requireRemaining(
  tx: Tx,
  { sso_required }: LockedPolicy,
  { active, organization_id }: ConnectionRow,
): Promise<void> {
  if (!active || !sso_required || (await hasUsableConnection(tx, organization_id))) return;
  throw new ServiceError(
    'conflict',
    'the policy requires single sign-on, and no other active connection has a verified domain; ' +
      'switch sso_required off in the policy first, or activate another connection',
  );
}
