import { keepPreviousData, useQuery } from '@tanstack/react-query';

/**
 * Loads a list whose filters are in the URL. The previous result stays until the next one is loaded, so that nothing
 * jumps and the search field keeps its focus. An error replaces the page only if nothing was loaded before.
 */
export const useList = <T>(queryKey: readonly unknown[], load: () => Promise<T>) =>
  useQuery({
    queryKey,
    queryFn: load,
    placeholderData: keepPreviousData,
    throwOnError: (_error, query) => query.state.data === undefined,
  });

/** Values in a URL are untrusted: an invalid page or choice is ignored. */
export const pageFrom = (page: string | undefined): string | undefined =>
  page !== undefined && /^[1-9]\d{0,5}$/.test(page) ? page : undefined;

export const choiceFrom = <T extends string>(choices: readonly T[], value: string | undefined): T | undefined =>
  choices.find((choice) => choice === value);
