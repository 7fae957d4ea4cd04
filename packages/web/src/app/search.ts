import { useNavigate, useSearch } from '@tanstack/react-router';

type Search = Readonly<Record<string, string>>;

/** Search parameters are plain strings, not JSON as is the router's default. */
export const parseSearch = (search: string): Search => Object.fromEntries(new URLSearchParams(search));
export const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
};

/** Filters and page are in the URL, so that a view can be reloaded and shared. A blank value removes a filter. */
export function useFilters(): [
  Search,
  (change: Record<string, string | undefined>, options?: { replace?: boolean }) => void,
] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = (next: Record<string, string | undefined>, { replace = false } = {}) =>
    void navigate({ to: '.', search: ((before: Search) => ({ ...before, ...next })) as never, replace });
  return [search, change];
}

/** For the `search` of a link to a filtered list; the types of the router do not know the filters. */
export const filteredBy = (filters: Search) => filters as never;
