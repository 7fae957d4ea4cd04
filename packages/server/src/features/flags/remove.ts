import { NIL_UUID } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { deleteFlag } from '../../domain/flags/queries.ts';
import { flagsChanged } from '../../domain/flags/states.ts';
import type { Caller } from '../../domain/kernel/caller.ts';

interface FlagToRemove {
  readonly flag_key: string;
  readonly organization_id?: string | undefined;
}

/** DELETE /admin/feature-flags/:flag_key: one row, the default or an organization's. Idempotent: 204 without a row. */
export async function removeFlag(
  deps: Deps,
  caller: Caller,
  { flag_key, organization_id }: FlagToRemove,
): Promise<void> {
  const now = deps.clock.now();

  await transactAs({ deps, caller }, {}, async (tx) => {
    const removed = await deleteFlag(tx, { flag_key, organization_id: organization_id ?? null });
    if (!removed) return;
    await recordAudit(tx, caller, {
      action: 'feature_flag.deleted',
      now,
      resource_type: 'feature_flag',
      resource_id: flag_key,
      organization_id: removed.organization_id ?? NIL_UUID,
      metadata: { flag_key, scope: removed.organization_id === null ? 'global' : 'organization' },
    });
    await deps.bus.announce(tx, now, [flagsChanged(removed.organization_id)]);
  });
}
