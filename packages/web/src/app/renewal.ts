import { isGatehouseError } from '@gatehouse/client';

/** How often data is fetched again while the page is visible. */
export const REFETCH_INTERVAL_MS = 15_000;

interface Asked {
  readonly state: { readonly data: unknown };
}

/** An error is shown beside the last data; it replaces the page only without data, or if the session has ended. */
export const throwUnlessShown = (error: unknown, { state }: Asked): boolean =>
  state.data === undefined || isGatehouseError(error, 'authentication_required');
