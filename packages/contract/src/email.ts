import { Type } from 'typebox';

/** The contract, section 1: one form of an address, so that it is unique over the whole service. */
export const normalizeEmail = (typed: string): string => typed.trim().normalize('NFC').toLowerCase().normalize('NFC');

const MAX_LENGTH = 254;
/** In the body: room for spaces around it. Looked at before anything that takes longer the longer the text is. */
const MAX_TYPED = 320;
const MAX_LOCAL = 64;
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]+$/u;
const DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/** Judges the address as typed: spaces around it are forgiven, control characters are not. */
export function isEmail(typed: string): boolean {
  if (typed.length > MAX_TYPED || !typed.isWellFormed() || /\p{Cc}/u.test(typed)) return false;
  const email = normalizeEmail(typed);
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const labels = email.slice(at + 1).split('.');
  return (
    at > 0 &&
    [...email].length <= MAX_LENGTH &&
    local.length <= MAX_LOCAL &&
    LOCAL.test(local) &&
    !/^\.|\.\.|\.$/.test(local) &&
    labels.length > 1 &&
    labels.every((label) => label.length <= 63 && DOMAIN.test(label))
  );
}

/** An address as somebody typed it; `normalizeEmail` makes it the one that is stored. */
export const Email = Type.String({ format: 'email', maxLength: MAX_TYPED, examples: ['ada@example.com'] });
