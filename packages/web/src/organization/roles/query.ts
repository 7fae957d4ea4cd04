import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const rolesQuery = (organization_id: string) => ({
  queryKey: ['roles', organization_id],
  queryFn: () => client.roles.list(organization_id),
});

export const permissionsQuery = (organization_id: string) => ({
  queryKey: ['permissions', organization_id],
  queryFn: () => client.roles.permissions(organization_id),
});

/** Members show their roles, and the session its permissions. */
export const reloadRoles = (): Promise<void> =>
  Promise.all(
    [['roles'], ['members'], ['session'], ['invitations']].map((queryKey) => queries.invalidateQueries({ queryKey })),
  ).then(() => undefined);
