import { Type } from 'typebox';

const lowered = (text: string, form: 'NFC' | 'NFKC'): string => text.normalize(form).toLowerCase().normalize(form);

/**
 * The contract, section 1: one form of an address, so that it is unique over the whole service. The domain is read as mail is
 * sent (UTS 46): a wide or round letter in it is the plain one, and two accounts would share a mailbox.
 */
export function normalizeEmail(typed: string): string {
  const trimmed = typed.trim();
  const domain = trimmed.lastIndexOf('@') + 1;
  return lowered(trimmed.slice(0, domain), 'NFC') + lowered(trimmed.slice(domain), domain > 0 ? 'NFKC' : 'NFC');
}

const MAX_LENGTH = 254;
/** In the body: room for spaces around it. Looked at before anything that takes longer the longer the text is. */
const MAX_TYPED = 320;
const MAX_LOCAL = 64;
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]+$/u;
const DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;
/** What nobody sees makes an address look like another; in a domain, mail would even go there. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

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
    !UNSEEN.test(email) &&
    !/^\.|\.\.|\.$/.test(local) &&
    labels.length > 1 &&
    labels.every((label) => label.length <= 63 && DOMAIN.test(label))
  );
}

/** An address as somebody typed it; `normalizeEmail` makes it the one that is stored. */
export const Email = Type.String({ format: 'email', maxLength: MAX_TYPED, examples: ['ada@example.com'] });
