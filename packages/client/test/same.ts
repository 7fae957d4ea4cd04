/** True if both have the same fields with the same types. */
export type Same<A, B> = [A, B, keyof A] extends [B, A, keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;

/** For queries: the same fields, but `A` may also accept a number where `B` is text. */
export type Takes<A, B> = [B, keyof A] extends [A, keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false;
