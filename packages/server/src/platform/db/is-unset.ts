import { type RawBuilder, sql } from 'kysely';

/**
 * `is null` that matches no partial index, for a row found by its key. Indexes `where revoked_at is null` look cheap to
 * the planner, but to find one key it would read a whole organization, or all rows.
 */
export const isUnset = (column: string): RawBuilder<boolean> => sql`num_nulls(${sql.ref(column)}) = 1`;
