import { type RawBuilder, sql } from 'kysely';

/**
 * `is null`, for one row that is found by its key. In these words no partial index stands for it: those `where revoked_at is null` look
 * small and cheap to the planner, and to find one key it would read all of a big organization, or of everybody.
 */
export const isUnset = (column: string): RawBuilder<boolean> => sql`num_nulls(${sql.ref(column)}) = 1`;
