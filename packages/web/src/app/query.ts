import { isGatehouseError } from '@gatehouse/client';
import { QueryCache, QueryClient } from '@tanstack/react-query';

/** Retries only if the service did not respond: a request that it has rejected would be rejected again. */
const mayRetry = (count: number, error: unknown): boolean => count < 2 && isGatehouseError(error, 'unreachable');

/** Reloads the session: it may have become restricted, or lost a permission, since the page was loaded. */
const reloadSessionIfForbidden = (error: unknown): void => {
  if (isGatehouseError(error, 'forbidden')) void queries.invalidateQueries({ queryKey: ['session'] });
};

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: reloadSessionIfForbidden }),
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 5_000, refetchOnWindowFocus: true },
  },
});
