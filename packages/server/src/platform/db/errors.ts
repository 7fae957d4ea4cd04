const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

/** Serialization failure or deadlock: the same work may succeed when done again. */
export const isRetryable = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/** The name of the unique constraint that was hit, so that a conflict is told by constraint and never by a look first. */
export const violatedConstraint = (error: unknown): string | undefined =>
  codeOf(error) === '23505' ? (error as { constraint?: string }).constraint : undefined;

/** The name of the foreign key that points at nothing. */
export const danglingReference = (error: unknown): string | undefined =>
  codeOf(error) === '23503' ? (error as { constraint?: string }).constraint : undefined;

/** The table or schema is not there yet. */
export const isUndefinedTable = (error: unknown): boolean => codeOf(error) === '42P01';

/** Somebody else held the lock for longer than we wait. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** A value that its column, or a rule of its table, does not take. */
export const isUnfitValue = (error: unknown): boolean => /^2[23]/.test(codeOf(error) ?? '');

/** The database answers, but every connection is at work, and this request has waited for one long enough. */
export class PoolBusy extends Error {}
