import { recordAudit } from '../../domain/audit/record.ts';
import { clearAvatarId, deleteAvatars } from '../../domain/avatars/queries.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { transact } from '../../platform/db/transact.ts';

/** §4.1 DELETE /users/me/avatar. Idempotent: without a picture nothing is changed or audited. */
export async function removeAvatar(deps: Deps, caller: Caller, { user_id }: SessionState): Promise<void> {
  const now = deps.clock.now();

  await transact(deps.db, async (tx) => {
    if (!(await clearAvatarId(tx, user_id, now))) return;
    await deleteAvatars(tx, user_id);
    await recordAudit(tx, caller, {
      action: 'user.updated',
      now,
      resource_type: 'user',
      resource_id: user_id,
      metadata: { fields: ['avatar'] },
    });
  });
}
