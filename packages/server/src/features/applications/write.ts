import {
  type Application,
  type ApplicationChange,
  LIMITS,
  type NewApplication,
  STANDARD_SCOPES,
} from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import {
  countApplications,
  findApplication,
  insertApplication,
  isDeletedApplication,
  lockApplications,
  updateApplication,
} from '../../domain/applications/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { endGrants } from '../../domain/oauth-server/grants/end.ts';
import { randomId } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { describeApplication, noSuchApplication } from './describe.ts';
import { mergeSettings, requireKnown, requireValid, type Settings } from './rules.ts';

/** Locks the applications, so that counts are exact. Also checks the caller's role again. */

export const aboutApplication = (id: string) => ({ resource_type: 'application', resource_id: id });

export const announceApplication = (tx: Tx, { bus }: Deps, id: string, now: Date) =>
  bus.announce(tx, now, [{ topic: 'applications', key: id }]);

const defaults = (kind: Settings['kind']): Settings => ({
  kind,
  redirect_uris: [],
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  scopes: [...STANDARD_SCOPES],
  resources: [],
  trusted: false,
  device_flow: false,
  organization_id: null,
  enabled: true,
});

/** POST /admin/applications: → 201 application, without a secret. */
export function createApplication(
  deps: Deps,
  caller: Caller,
  { name, kind, ...input }: NewApplication,
): Promise<Application> {
  const now = deps.clock.now();
  const settings = mergeSettings(defaults(kind), input);
  requireValid(deps, settings);
  const row = { id: uuid(), client_id: `app_${randomId()}`, name: name.trim(), ...settings, created_at: now };

  return transactAs({ deps, caller }, { locks: lockApplications }, async (tx) => {
    await requireKnown(tx, settings);
    if ((await countApplications(tx)) >= LIMITS.application.count) {
      throw new ServiceError('conflict', `there are ${LIMITS.application.count} applications, which is the maximum`);
    }
    await insertApplication(tx, { ...row, deleted_at: null });
    const metadata = { kind, trusted: settings.trusted };
    await recordAudit(tx, caller, { action: 'oauth.client.created', now, ...aboutApplication(row.id), metadata });
    await announceApplication(tx, deps, row.id, now);
    return describeApplication({ ...row, secrets: [] }, now);
  });
}

/** PATCH /admin/applications/:id: → 200 application. Disabling it ends its grants for good. */
export function changeApplication(
  deps: Deps,
  caller: Caller,
  id: string,
  { name, ...input }: ApplicationChange,
): Promise<Application> {
  const now = deps.clock.now();
  return transactAs({ deps, caller }, { locks: lockApplications }, async (tx) => {
    const old = await findApplication(tx, id);
    if (!old) throw noSuchApplication();
    const settings = mergeSettings(old, input);
    requireValid(deps, settings);
    await requireKnown(tx, input);
    const changed = { ...old, ...settings, name: name?.trim() ?? old.name };
    const fields = changedFields(old, changed);
    if (fields.length === 0) return describeApplication(old, now);
    const { kind: _, ...stored } = settings;
    await updateApplication(tx, id, { ...stored, name: changed.name });
    if (!settings.enabled) await endGrants(tx, deps, { application_id: id }, now);
    else if (settings.organization_id !== null && fields.includes('organization_id')) {
      await endGrants(tx, deps, { application_id: id, except_organization: settings.organization_id }, now);
    }
    if (old.scopes.includes('offline_access') && !settings.scopes.includes('offline_access')) {
      await endGrants(tx, deps, { application_id: id, offline: true }, now);
    }
    const metadata = { fields, trusted: settings.trusted, enabled: settings.enabled };
    await recordAudit(tx, caller, { action: 'oauth.client.updated', now, ...aboutApplication(id), metadata });
    await announceApplication(tx, deps, id, now);
    return describeApplication(changed, now);
  });
}

const changedFields = <T extends object>(old: T, changed: T): string[] =>
  (Object.keys(changed) as (keyof T & string)[]).filter(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(changed[field]),
  );

/** DELETE /admin/applications/:id: ends its grants. 204 also for a deleted application, 404 for an unknown id. */
export async function removeApplication(deps: Deps, caller: Caller, id: string): Promise<void> {
  const now = deps.clock.now();
  await transactAs({ deps, caller }, { locks: lockApplications }, async (tx) => {
    if (!(await findApplication(tx, id))) {
      if (await isDeletedApplication(tx, id)) return;
      throw noSuchApplication();
    }
    await updateApplication(tx, id, { deleted_at: now, enabled: false });
    await endGrants(tx, deps, { application_id: id }, now);
    await recordAudit(tx, caller, {
      action: 'oauth.client.deleted',
      now,
      ...aboutApplication(id),
      metadata: {},
    });
    await announceApplication(tx, deps, id, now);
  });
}
