import { isGatehouseError } from '@gatehouse/client';
import { QueryClient } from '@tanstack/react-query';

/** Retries only if the service did not respond: it would reject the same request again. */
const mayRetry = (count: number, error: unknown): boolean => count < 2 && isGatehouseError(error, 'unreachable');

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 5_000, refetchOnWindowFocus: true },
  },
});
