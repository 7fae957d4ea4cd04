import type { Application, ApplicationSecret } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';

export const noSuchApplication = () => new ServiceError('not_found', 'there is no such application');

export function livingSecrets({ secrets }: Pick<ApplicationRow, 'secrets'>, now: Date): ApplicationSecret[] {
  const iso = (time: string): string => new Date(time).toISOString();
  return secrets
    .filter(({ expires_at }) => expires_at === null || new Date(expires_at) > now)
    .map(({ id, created_at, expires_at }) => ({
      id,
      created_at: iso(created_at),
      expires_at: expires_at === null ? null : iso(expires_at),
    }));
}

export const describeApplication = (row: ApplicationRow, now: Date): Application => ({
  id: row.id,
  client_id: row.client_id,
  name: row.name,
  kind: row.kind,
  redirect_uris: row.redirect_uris,
  post_logout_redirect_uris: row.post_logout_redirect_uris,
  backchannel_logout_uri: row.backchannel_logout_uri,
  scopes: row.scopes,
  resources: row.resources,
  trusted: row.trusted,
  device_flow: row.device_flow,
  organization_id: row.organization_id,
  enabled: row.enabled,
  secrets: livingSecrets(row, now),
  created_at: row.created_at.toISOString(),
});
