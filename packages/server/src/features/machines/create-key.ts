import { type CreatedApiKey, LIMITS, type NewApiKey } from '@gatehouse/contract';
import { v7 as uuid, v4 } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { createKey, hashSecret } from '../../domain/machines/key-format.ts';
import { countLivingKeys, insertKey } from '../../domain/machines/queries.ts';
import { describeKey } from './describe.ts';
import { keySettings, requireAccountPermissions, requireScopes } from './key-rules.ts';

/** Returns a new key, which is shown once, and the row that is stored. `sid` is a claim of the key's access tokens. */
export function newKey() {
  const { key, ...parts } = createKey();
  return { key, row: { id: uuid(), sid: v4(), public_id: parts.public_id, secret_hash: hashSecret(parts) } };
}

export const tooManyKeys = () =>
  new ServiceError('conflict', `the service account has ${LIMITS.machine.keys} keys, which is the maximum`);

/** POST /orgs/:org_id/service-accounts/:id/keys: → 201, with the key itself, which is shown only here. */
export function createApiKey(
  deps: Deps,
  caller: Caller,
  { service_account_id, ...input }: NewApiKey & { service_account_id: string },
): Promise<CreatedApiKey> {
  const now = deps.clock.now();
  const settings = keySettings(input, now);
  const { key, row } = newKey();
  return transactAs({ deps, caller }, {}, async (tx, { member }) => {
    const permissions = await requireAccountPermissions(tx, member, service_account_id);
    requireScopes(settings.scopes, permissions);
    if ((await countLivingKeys(tx, service_account_id, now)) >= LIMITS.machine.keys) throw tooManyKeys();
    await insertKey(tx, { ...row, ...settings, service_account_id, created_at: now });
    const { scopes, expires_at } = settings;
    await recordAudit(tx, caller, {
      action: 'api_key.created',
      now,
      resource_type: 'api_key',
      resource_id: row.id,
      metadata: { service_account_id, scopes, expires_at: expires_at?.toISOString() ?? null },
    });
    return createdKey(key, { id: row.id, public_id: row.public_id, ...settings, created_at: now });
  });
}

type Created = Omit<Parameters<typeof describeKey>[0], 'ends_at' | 'last_used_at'> & { expires_at: Date | null };

export const createdKey = (key: string, { expires_at, ...row }: Created): CreatedApiKey => ({
  ...describeKey({ ...row, ends_at: expires_at, last_used_at: null }),
  key,
});
