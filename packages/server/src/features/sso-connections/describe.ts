import type { SsoConnection } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { ssoCallbackUrl } from '../../domain/sso/callback-url.ts';
import type { ListedConnection } from '../../domain/sso/queries.ts';

export const describeConnection = ({ config }: Deps, row: ListedConnection): SsoConnection => ({
  id: row.id,
  kind: 'oidc',
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  secret_set: row.sealed_secret !== null,
  domains: row.domains,
  create_members: row.create_members,
  default_role: row.default_role,
  role_ids: row.role_ids,
  trust_idp_mfa: row.trust_idp_mfa,
  status: row.active ? 'active' : 'draft',
  callback_url: ssoCallbackUrl(config, row.id),
  last_test: row.last_test,
});

export const noSuchConnection = () => new ServiceError('not_found', 'there is no such connection');

export const aboutConnection = ({ id }: { id: string }) =>
  ({ resource_type: 'sso_connection', resource_id: id }) as const;
