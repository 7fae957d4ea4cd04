import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import { removeCredential } from '../../domain/endings/remove-credential.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { isOwnPasskey, revokePasskey } from '../../domain/passkeys/queries.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { findRecipient } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';

/**
 * DELETE /users/me/passkeys/:id: 204 also if repeated, 404 for an unknown id or another user's, 409 for the last
 * usable credential.
 */
export async function removePasskey(deps: Deps, caller: Caller, { user_id }: SessionState, id: string): Promise<void> {
  const now = deps.clock.now();
  const relyingParty = relyingPartyOf(deps.config);
  await transact(deps.db, async (tx) => {
    const removed = await removeCredential(tx, { user_id, relyingParty }, () =>
      revokePasskey(tx, { id, user_id }, { relyingParty, now }),
    );
    if (!removed) {
      if (!(await isOwnPasskey(tx, { id, user_id }))) throw noSuchPasskey();
      return;
    }
    await recordAudit(tx, caller, {
      action: 'passkey.removed',
      now,
      resource_type: 'passkey',
      resource_id: id,
      metadata: {},
    });
    const params = { name: removed.name, count: 1 };
    await notifyWithinLimit(tx, deps, await findRecipient(tx, user_id), { template: 'passkey_removed', params });
  });
}

export const noSuchPasskey = () => new ServiceError('not_found', 'there is no such passkey');
