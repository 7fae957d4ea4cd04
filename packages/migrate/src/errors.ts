const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

/** A lock timeout, a serialization failure or a deadlock: a retry may succeed. */
export const isTemporary = (error: unknown): boolean => ['55P03', '40001', '40P01'].includes(codeOf(error) ?? '');

export const isUndefinedTable = (error: unknown): boolean => codeOf(error) === '42P01';
