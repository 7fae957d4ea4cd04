const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

/** Serialization failure or deadlock: a retry may succeed. */
export const isRetryable = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/** The violated unique constraint. Conflicts are detected by it, never by a query beforehand. */
export const violatedConstraint = (error: unknown): string | undefined =>
  codeOf(error) === '23505' ? (error as { constraint?: string }).constraint : undefined;

export const danglingReference = (error: unknown): string | undefined =>
  codeOf(error) === '23503' ? (error as { constraint?: string }).constraint : undefined;

export const isUndefinedTable = (error: unknown): boolean => codeOf(error) === '42P01';

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** A value that its column or a constraint of its table does not accept. */
export const isUnfitValue = (error: unknown): boolean => /^2[23]/.test(codeOf(error) ?? '');

/** The database responds, but no pooled connection became free in time. */
export class PoolBusy extends Error {}
