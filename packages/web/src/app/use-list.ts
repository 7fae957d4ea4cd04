import { keepPreviousData, useQuery } from '@tanstack/react-query';

/**
 * A list whose filters are in the address. What was found before stays until the next answer is there, so that nothing jumps, and the
 * search field keeps its focus, while somebody types. Only a list that never came breaks the page.
 */
export const useList = <T>(queryKey: readonly unknown[], load: () => Promise<T>) =>
  useQuery({
    queryKey,
    queryFn: load,
    placeholderData: keepPreviousData,
    throwOnError: (_error, query) => query.state.data === undefined,
  });

/** Anybody can write an address: what is no page is the first, and what is none of the choices is none. */
export const pageFrom = (page: string | undefined): string | undefined =>
  page !== undefined && /^[1-9]\d{0,5}$/.test(page) ? page : undefined;

export const choiceFrom = <T extends string>(choices: readonly T[], value: string | undefined): T | undefined =>
  choices.find((choice) => choice === value);
