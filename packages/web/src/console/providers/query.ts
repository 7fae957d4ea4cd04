import type { ProviderList, ProviderView } from '@gatehouse/contract';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

/** All six, as the database has them. */
export const PROVIDERS_QUERY = { queryKey: ['providers'], queryFn: () => client.providers.list() };

/** After a change: what the service answered is shown at once. */
export function showProvider(changed: ProviderView): void {
  queries.setQueryData<ProviderList>(
    PROVIDERS_QUERY.queryKey,
    (list) =>
      list && {
        ...list,
        providers: list.providers.map((view) => (view.provider === changed.provider ? changed : view)),
      },
  );
  void queries.invalidateQueries({ queryKey: ['readiness'] });
}
