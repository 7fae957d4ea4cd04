import { type RawBuilder, sql } from 'kysely';

/**
 * `is null` in a form that does not match partial indexes, for a row that is found by its key. Partial indexes `where
 * revoked_at is null` look small and cheap to the planner, but to find one key it would read the rows of a whole
 * organization, or all of them.
 */
export const isUnset = (column: string): RawBuilder<boolean> => sql`num_nulls(${sql.ref(column)}) = 1`;
