import { type RawBuilder, sql } from 'kysely';

/**
 * `is null` that matches no partial index, for a row found by its key. A partial index `where revoked_at is null` looks
 * cheap to the planner, which would then use it instead of the key, and read all rows of an organization, or of the
 * table, to find one.
 */
export const isUnset = (column: string): RawBuilder<boolean> => sql`num_nulls(${sql.ref(column)}) = 1`;
