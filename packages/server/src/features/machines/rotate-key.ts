import { type ApiKeyRotation, type CreatedApiKey, LIMITS } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { endKeys } from '../../domain/machines/end-keys.ts';
import { countLivingKeys, findKey, insertKey, updateKeyOverlap } from '../../domain/machines/queries.ts';
import { after } from '../../platform/clock.ts';
import { createdKey, newKey, tooManyKeys } from './create-key.ts';
import { noSuchKey } from './describe.ts';
import { requireAccountPermissions } from './key-rules.ts';

interface Rotation extends ApiKeyRotation {
  readonly service_account_id: string;
  readonly key_id: string;
}

/**
 * POST /orgs/:org_id/service-accounts/:id/keys/:key_id/rotate: → 201, a new key with the same settings. The old one
 * ends after the overlap. 409 for a key that has ended or was rotated before; of concurrent rotations, one succeeds.
 */
export function rotateApiKey(
  deps: Deps,
  caller: Caller,
  { service_account_id, key_id, overlap_seconds = 0 }: Rotation,
): Promise<CreatedApiKey> {
  const now = deps.clock.now();
  const { key, row } = newKey();
  return transactAs({ deps, caller }, {}, async (tx, { member }) => {
    await requireAccountPermissions(tx, member, service_account_id);
    const old = await findKey(tx, { id: key_id, service_account_id, now });
    if (!old) throw noSuchKey();
    if (!old.is_living) throw new ServiceError('conflict', 'this key has ended; create a new one');
    if (old.overlap_ends_at !== null) throw new ServiceError('conflict', 'this key was already rotated');
    if (overlap_seconds > 0) {
      if ((await countLivingKeys(tx, service_account_id, now)) >= LIMITS.machine.keys) throw tooManyKeys();
      await updateKeyOverlap(tx, key_id, after(now, overlap_seconds));
      await deps.bus.announce(tx, now, [{ topic: 'user', key: service_account_id }]);
    } else {
      await endKeys(tx, deps, { id: key_id }, now);
    }
    const { name, scopes, allowed_ips, allowed_referrers, expires_at } = old;
    const settings = { name, scopes, allowed_ips, allowed_referrers, expires_at };
    await insertKey(tx, { ...row, ...settings, service_account_id, created_at: now });
    await recordAudit(tx, caller, {
      action: 'api_key.rotated',
      now,
      resource_type: 'api_key',
      resource_id: key_id,
      metadata: { service_account_id, new_key_id: row.id, overlap_seconds },
    });
    return createdKey(key, { id: row.id, public_id: row.public_id, ...settings, created_at: now });
  });
}
