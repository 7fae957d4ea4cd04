import { isGatehouseError } from '@gatehouse/client';
import { QueryClient } from '@tanstack/react-query';

/** What the service refuses, it refuses again: only silence is worth another try. */
const mayRetry = (count: number, error: unknown): boolean => count < 2 && isGatehouseError(error, 'unreachable');

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 5_000, refetchOnWindowFocus: true },
  },
});
