/** Returns the origin of the API's address; empty if that is a path on the page's own origin. */
export const originOf = (base: string): string => /^(https?:)?\/\/[^/]+/i.exec(base)?.[0] ?? '';

/** Builds a path. Each value is encoded, so that it stays one segment even if it is user input. */
export const path = (fixed: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw(fixed, ...values.map((value) => encodeURIComponent(value)));

/**
 * Returns whether a segment is empty, `.` or `..`. Encoding cannot protect these: a browser resolves `/users/..` to the
 * parent path. No resource has such a name.
 */
export const isUnsafe = (given: string): boolean => /\/(\.{1,2})?(\/|$)/.test(given);
