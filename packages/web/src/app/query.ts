import { isGatehouseError } from '@gatehouse/client';
import { QueryClient } from '@tanstack/react-query';

/** Retries only if the service did not respond: a request that it has rejected would be rejected again. */
const mayRetry = (count: number, error: unknown): boolean => count < 2 && isGatehouseError(error, 'unreachable');

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 5_000, refetchOnWindowFocus: true },
  },
});
