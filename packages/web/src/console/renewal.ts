import { isGatehouseError } from '@gatehouse/client';

/** Every so many milliseconds, while the page is seen. */
export const RENEWAL = 15_000;

interface Asked {
  readonly state: { readonly data: unknown };
}

/**
 * For what renews itself: a failure is shown beside what was there before. It takes the page's place when there is nothing to show yet, or
 * when nobody is signed in any more.
 */
export const throwUnlessShown = (error: unknown, { state }: Asked): boolean =>
  state.data === undefined || isGatehouseError(error, 'authentication_required');
