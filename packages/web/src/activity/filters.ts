import type { AuditQuery } from '@gatehouse/contract';

type Search = Readonly<Record<string, string>>;

/** The search parameters that filter events; `page` is not one of them. */
const FILTERS = ['user_id', 'action', 'from', 'to'] as const;

export const NO_FILTERS = { user_id: undefined, action: undefined, from: undefined, to: undefined, page: undefined };

export const isFiltered = (search: Search): boolean => FILTERS.some((name) => search[name]);

export const queryOf = (search: Search): AuditQuery =>
  Object.fromEntries([...FILTERS, 'page'].flatMap((name) => (search[name] ? [[name, search[name]]] : [])));

const two = (number: number): string => String(number).padStart(2, '0');

/** Formats a moment in local time, for a `datetime-local` field, which has no time zone. */
export function toField(moment: string | undefined): string {
  const date = new Date(moment ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A field is exact to the minute: a start is the first moment of the minute, an end the last. */
export function fromField(typed: string, end: 'first' | 'last'): string | undefined {
  const date = new Date(typed);
  if (typed === '' || Number.isNaN(date.getTime())) return undefined;
  return new Date(date.getTime() + (end === 'last' ? 59_999 : 0)).toISOString();
}
