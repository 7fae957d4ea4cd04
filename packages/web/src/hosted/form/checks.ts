import type { LIMITS } from '@gatehouse/contract';
import type { Text as Words } from '../../ui/text/en.ts';

/** What is wrong with what was typed, in words. The service looks closer; this saves people a round trip for the usual slips. */
export type Check = (typed: string, words: Words) => string | undefined;

/** The contract's, of which only the types are taken: its schemas would be the larger part of the page. */
export const PASSWORD: (typeof LIMITS)['password'] = { min: 12, max: 256 };

export const anything: Check = () => undefined;

export const required: Check = (typed, words) => (typed.trim() === '' ? words.required : undefined);

/** Of a password, in which spaces count. */
export const given: Check = (typed, words) => (typed === '' ? words.required : undefined);

export const isEmail = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());

export const email: Check = (typed, words) => required(typed, words) ?? (isEmail(typed) ? undefined : words.emailWrong);

/** Counted in characters, as the service does: a smiley is one. */
export const newPassword: Check = (typed, words) => {
  const { length } = [...typed];
  if (length < PASSWORD.min) return words.passwordTooShort(PASSWORD.min);
  return length > PASSWORD.max ? words.passwordTooLong(PASSWORD.max) : undefined;
};

/** People copy codes with spaces in and around them. */
export const digitsOf = (typed: string): string => typed.replace(/\s/g, '');

export const sixDigits: Check = (typed, words) => (/^\d{6}$/.test(digitsOf(typed)) ? undefined : words.codeWrong);
