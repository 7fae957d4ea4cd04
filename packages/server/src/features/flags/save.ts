import { type FeatureFlag, type FlagChange, NIL_UUID } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { findFlag, upsertFlag } from '../../domain/flags/queries.ts';
import { flagsChanged } from '../../domain/flags/states.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { danglingReference } from '../../platform/db/errors.ts';
import { acceptValue } from './value-rules.ts';

/**
 * §4.11, docs/reference/operations.md#feature-flags: PUT /admin/feature-flags. Effective in this process when the
 * response is sent; the bus notifies the others. An unchanged row is neither audited nor announced.
 */
export async function saveFlag(deps: Deps, caller: Caller, change: FlagChange): Promise<FeatureFlag> {
  const { flag_key, organization_id = null, enabled } = change;
  requireNameable(flag_key);
  const value = acceptValue(change.value);
  const now = deps.clock.now();

  const save = transactAs({ deps, caller }, {}, async (tx) => {
    const saved = await upsertFlag(tx, { flag_key, organization_id, enabled, value, now });
    if (!saved) return findFlag(tx, { flag_key, organization_id });
    const scope = saved.organization_id === null ? 'global' : 'organization';
    await recordAudit(tx, caller, {
      action: 'feature_flag.updated',
      now,
      resource_type: 'feature_flag',
      resource_id: flag_key,
      organization_id: saved.organization_id ?? NIL_UUID,
      metadata: { flag_key, scope, enabled },
    });
    await deps.bus.announce(tx, now, [flagsChanged(saved.organization_id)]);
    return saved;
  });

  return save.catch((error) => {
    if (danglingReference(error) !== 'feature_flags_organization_id_fkey') throw error;
    throw new ServiceError('invalid_input', 'organization_id: there is no such organization');
  });
}

/** HTTP clients remove `.` and `..` from a path, percent-encoded ones too, so such a flag could never be deleted. */
function requireNameable(flag_key: string): void {
  if (flag_key === '.' || flag_key === '..')
    throw new ServiceError('invalid_input', 'flag_key: must not be . or .., which cannot be part of a path');
}
