import { type CreatedApplicationSecret, LIMITS, type NewApplicationSecret } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import {
  findApplication,
  findSecret,
  insertSecret,
  lockApplications,
  revokeSecret,
} from '../../domain/applications/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import { livingSecrets, noSuchApplication } from './describe.ts';
import { aboutApplication, announceApplication } from './write.ts';

/** POST /admin/applications/:id/secrets: → 201 with the secret, which is stored only as a hash. */
export function createSecret(
  deps: Deps,
  caller: Caller,
  application_id: string,
  { expires_at: until }: NewApplicationSecret,
): Promise<CreatedApplicationSecret> {
  const now = deps.clock.now();
  const expires_at = until == null ? null : new Date(until);
  if (expires_at !== null && expires_at <= now) {
    throw new ServiceError('invalid_input', 'expires_at: must be in the future');
  }
  const id = uuid();
  const secret = randomToken();

  return transactAs({ deps, caller }, { locks: lockApplications }, async (tx) => {
    const application = await findApplication(tx, application_id);
    if (!application) throw noSuchApplication();
    if (application.kind !== 'web') {
      throw new ServiceError('conflict', `an application of kind ${application.kind} has no secrets`);
    }
    if (livingSecrets(application, now).length >= LIMITS.application.secrets) {
      throw new ServiceError('conflict', `there are ${LIMITS.application.secrets} secrets, which is the maximum`);
    }
    await insertSecret(tx, {
      id,
      application_id,
      hash: hashToken(secret),
      created_at: now,
      expires_at,
      revoked_at: null,
    });
    await recordAudit(tx, caller, {
      action: 'oauth.client.secret_created',
      now,
      ...aboutApplication(application_id),
      metadata: { secret_id: id },
    });
    await announceApplication(tx, deps, application_id, now);
    return { id, created_at: now.toISOString(), expires_at: expires_at?.toISOString() ?? null, secret };
  });
}

/** DELETE /admin/applications/:id/secrets/:secret_id: 204 also for a deleted secret, 404 for an unknown id. */
export async function removeSecret(
  deps: Deps,
  caller: Caller,
  { application_id, secret_id }: { application_id: string; secret_id: string },
): Promise<void> {
  const now = deps.clock.now();
  await transactAs({ deps, caller }, { locks: lockApplications }, async (tx) => {
    const secret = await findSecret(tx, { id: secret_id, application_id });
    if (!secret) throw new ServiceError('not_found', 'there is no such secret');
    if (secret.revoked_at !== null) return;
    await revokeSecret(tx, secret_id, now);
    await recordAudit(tx, caller, {
      action: 'oauth.client.secret_deleted',
      now,
      ...aboutApplication(application_id),
      metadata: { secret_id },
    });
    await announceApplication(tx, deps, application_id, now);
  });
}
