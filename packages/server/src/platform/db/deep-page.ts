import { type RawBuilder, sql } from 'kysely';

/** From this offset on, a list is not read if the page is beyond its end. The first pages keep a constant limit. */
const DEEP = 10_000;

export const isDeep = (offset: number): boolean => offset >= DEEP;

/** The limit of a page; 0 if the page is beyond `total`, so that the rows before it are not read. */
export const pageLimit = (
  { offset, limit }: { readonly offset: number; readonly limit: number },
  total: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  isDeep(offset) ? sql`(select case when ${offset}::bigint < (${total}) then ${limit}::int else 0 end)` : sql`${limit}`;
