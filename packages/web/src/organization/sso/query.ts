import { nullWhenMissing } from '../../app/Missing.tsx';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const LIST = '/organization/sso';

export const connectionsQuery = (organization_id: string) => ({
  queryKey: ['sso-connections', organization_id],
  queryFn: () => client.ssoConnections.list(organization_id),
});

/** Null: there is no such connection. */
export const connectionQuery = (organization_id: string, id: string) => ({
  queryKey: ['sso-connections', organization_id, id],
  queryFn: () => client.ssoConnections.read(organization_id, id).catch(nullWhenMissing),
});

export const reloadConnections = (): Promise<void> => queries.invalidateQueries({ queryKey: ['sso-connections'] });
