import type { LIMITS } from '@gatehouse/contract';
import type { Text as Words } from '../../ui/text/en.ts';

/** Returns what is wrong with a value. The service checks more; this saves a round trip for common mistakes. */
export type Check = (typed: string, words: Words) => string | undefined;

/** A typed copy of the contract's limits: importing its schemas would more than double the size of the page. */
export const PASSWORD: (typeof LIMITS)['password'] = { min: 12, max: 256 };

export const anything: Check = () => undefined;

export const required: Check = (typed, words) => (typed.trim() === '' ? words.required : undefined);

/** A required value in which spaces count: a password. */
export const given: Check = (typed, words) => (typed === '' ? words.required : undefined);

export const isEmail = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());

export const email: Check = (typed, words) => required(typed, words) ?? (isEmail(typed) ? undefined : words.emailWrong);

/** Counts characters, as the service does: an emoji is one character. */
export const newPassword: Check = (typed, words) => {
  const { length } = [...typed];
  if (length < PASSWORD.min) return words.passwordTooShort(PASSWORD.min);
  return length > PASSWORD.max ? words.passwordTooLong(PASSWORD.max) : undefined;
};

/** Codes are often copied with spaces or hyphens in and around them. */
export const digitsOf = (typed: string): string => typed.replace(/[\s\p{Pd}]/gu, '');

export const sixDigits: Check = (typed, words) => (/^\d{6}$/.test(digitsOf(typed)) ? undefined : words.codeWrong);
