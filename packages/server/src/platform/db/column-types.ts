import type { ColumnType } from 'kysely';

/** A column that is set at insert and cannot be updated. */
export type Fixed<T> = ColumnType<T, T, never>;
