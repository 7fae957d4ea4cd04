/** Where the service is, of the address of its API; nothing, when that is a path on the page's own origin. */
export const originOf = (base: string): string => /^(https?:)?\/\/[^/]+/i.exec(base)?.[0] ?? '';

/** A path with values in it. Each stays one segment, whatever an address bar or a form has put there. */
export const path = (fixed: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw(fixed, ...values.map((value) => encodeURIComponent(value)));

/**
 * An empty segment, `.` and `..` cannot be written in any other way: a browser that is asked for `/users/..` asks for what is above it.
 * Nothing of ours has such a name.
 */
export const climbs = (given: string): boolean => /\/(\.{1,2})?(\/|$)/.test(given);
