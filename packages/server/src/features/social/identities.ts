import type { IdentityList } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import { removeCredential } from '../../domain/endings/remove-credential.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { isOwnIdentity, listIdentities, revokeIdentity } from '../../domain/upstream/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { describeIdentity } from './linked.ts';

/** docs/reference/sign-in.md#linked-identities: GET /users/me/identities */
export const identities = async ({ db }: Deps, { user_id }: SessionState): Promise<IdentityList> => ({
  items: (await listIdentities(db, user_id)).map(describeIdentity),
});

/**
 * DELETE /users/me/identities/:id: 204 also if repeated, 404 for an unknown id or another user's, 409 for the last
 * credential.
 */
export async function unlink(deps: Deps, caller: Caller, { user_id }: SessionState, id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = { user_id, relyingParty: relyingPartyOf(deps.config) };
    const revoked = await removeCredential(tx, owner, () => revokeIdentity(tx, { id, user_id }, now));
    if (!revoked) {
      if (!(await isOwnIdentity(tx, { id, user_id }))) throw new ServiceError('not_found', 'there is no such identity');
      return;
    }
    const { provider } = revoked;
    await recordAudit(tx, caller, {
      action: 'auth.oauth.unlinked',
      now,
      resource_type: 'identity',
      resource_id: id,
      metadata: { provider },
    });
  });
}
