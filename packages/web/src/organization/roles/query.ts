import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const rolesQuery = (organization_id: string) => ({
  queryKey: ['roles', organization_id],
  queryFn: () => client.roles.list(organization_id),
});

/** The permissions that the product has declared. */
export const permissionsQuery = (organization_id: string) => ({
  queryKey: ['permissions', organization_id],
  queryFn: () => client.roles.permissions(organization_id),
});

/** Also reloads members and invitations, which contain roles, and the session, which contains permissions. */
export const reloadRoles = (): Promise<void> =>
  Promise.all(
    [['roles'], ['members'], ['session'], ['invitations']].map((queryKey) => queries.invalidateQueries({ queryKey })),
  ).then(() => undefined);
