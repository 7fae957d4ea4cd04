import type { ProviderList, ProviderView } from '@gatehouse/contract';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const PROVIDERS_QUERY = { queryKey: ['providers'], queryFn: () => client.providers.list() };

/** Shows the response to a change without another request. */
export function showProvider(changed: ProviderView): void {
  // A response to an earlier request would overwrite the change.
  void queries.cancelQueries(PROVIDERS_QUERY);
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
