import { type Identity, LIMITS } from '@gatehouse/contract';
import { insertAuditEvent } from '../../domain/audit/queries.ts';
import { requireSecondFactor } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { ExternalIdentity } from '../../domain/provider-settings/external-identity.ts';
import { findSessionForFreshAuth, rememberOwnCredential } from '../../domain/sessions/queries.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import { findIdentity, insertIdentity, listIdentities } from '../../domain/upstream/queries.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { lockActiveUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import type { Linking } from './flow.ts';
import { describeIdentity, identityRow, linkedNotice, linkedRow } from './linked.ts';

/**
 * Completes POST /auth/oauth/:provider/link. The start required fresh authentication; now the session must still be
 * active and, with MFA on, verified by the second factor.
 */
export async function linkIdentity(
  deps: Deps,
  caller: Caller,
  linking: Linking,
  external: ExternalIdentity,
): Promise<Identity> {
  const store = (tx: Tx) => storeLink(tx, deps, caller, { linking, external });
  return transact(deps.db, store).catch(async (error: unknown) => {
    if (violatedConstraint(error) !== 'identities_subject_key') throw error;
    const { own: winner } = await transact(deps.db, (tx) => findLinker(tx, deps, linking, external));
    if (!winner) throw new Failed('identity_in_use', { user_id: linking.user_id });
    return winner;
  });
}

/** Locks the user's row: a concurrent password reset or MFA activation commits first and is seen, or waits. */
async function findLinker(tx: Tx, deps: Deps, linking: Linking, external: ExternalIdentity) {
  const { user_id } = linking;
  const user = await lockActiveUser(tx, user_id);
  const session = user && (await findSessionForFreshAuth(tx, linking, deps.clock.now()));
  if (!session || !mayAdd(session, { mfa_enabled: user.mfa_enabled_at !== null })) {
    throw new Failed('invalid_state', { user_id });
  }
  if (linking.isUnproven && user.email_verified_at !== null) throw new Failed('invalid_state', { user_id });
  const { organization_id } = session;
  const known = await findIdentity(tx, external);
  const identities = await listIdentities(tx, user_id);
  const own = known && identities.find(({ id }) => id === known.id);
  if (known && !own) throw new Failed('identity_in_use', { user_id, organization_id });
  if (!own && identities.length >= LIMITS.identitiesPerUser) {
    throw new Failed('account_refused', { user_id, organization_id });
  }
  return { user, organization_id, own: own && describeIdentity(own) };
}

interface NewLink {
  readonly linking: Linking;
  readonly external: ExternalIdentity;
}

async function storeLink(tx: Tx, deps: Deps, caller: Caller, { linking, external }: NewLink): Promise<Identity> {
  const { user, organization_id, own } = await findLinker(tx, deps, linking, external);
  if (own) return own;
  const { user_id } = linking;
  const row = await insertIdentity(tx, identityRow({ user_id, external, now: deps.clock.now() }));
  await rememberOwnCredential(tx, linking.session_id, row.id);
  await insertAuditEvent(tx, linkedRow(deps, caller, { user_id, organization_id, identity_id: row.id, external }));
  await notifyWithinLimit(tx, deps, user, linkedNotice(external));
  return describeIdentity(row);
}

function mayAdd(...args: Parameters<typeof requireSecondFactor>): boolean {
  try {
    requireSecondFactor(...args);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
