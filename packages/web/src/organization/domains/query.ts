import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const domainsQuery = (organization_id: string) => ({
  queryKey: ['domains', organization_id],
  queryFn: () => client.domains.list(organization_id),
});

/** Also reloads the connections, because they list their domains. */
export const reloadDomains = (): Promise<void> =>
  Promise.all([['domains'], ['sso-connections']].map((queryKey) => queries.invalidateQueries({ queryKey }))).then(
    () => undefined,
  );
