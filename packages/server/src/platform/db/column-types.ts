import type { ColumnType } from 'kysely';

/** Set once, at insert. */
export type Fixed<T> = ColumnType<T, T, never>;
