import type { Passkey, PasskeyRenameRequest } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findPasskeyForUpdate, updatePasskeyName } from '../../domain/passkeys/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { describePasskey } from './describe.ts';
import { noSuchPasskey } from './remove.ts';

/** PATCH /users/me/passkeys/:id: renames an active passkey. An unchanged name is neither written nor audited. */
export function renamePasskey(
  deps: Deps,
  caller: Caller,
  { user_id }: SessionState,
  { id, ...wanted }: PasskeyRenameRequest & { id: string },
): Promise<Passkey> {
  const name = wanted.name.trim();
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const passkey = await findPasskeyForUpdate(tx, { id, user_id }, relyingPartyOf(deps.config));
    if (!passkey) throw noSuchPasskey();
    if (passkey.name !== name) {
      await updatePasskeyName(tx, { id, name });
      await recordAudit(tx, caller, {
        action: 'passkey.renamed',
        now,
        resource_type: 'passkey',
        resource_id: id,
        metadata: {},
      });
    }
    return describePasskey({ ...passkey, name });
  });
}
