/** The very same fields, each of the same type. */
export type Same<A, B> = [A, B, keyof A] extends [B, A, keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;

/** Of a query: the same fields, with a number where it is text. */
export type Takes<A, B> = [B, keyof A] extends [A, keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;
