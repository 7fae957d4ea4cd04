import { Type } from 'typebox';

const lowered = (text: string, form: 'NFC' | 'NFKC'): string => text.normalize(form).toLowerCase().normalize(form);

/**
 * docs/reference/accounts.md#email-addresses: the canonical form of an address, which is unique in the whole service.
 * The domain is normalized as mail servers do it (UTS 46): full-width or circled letters become plain ones. Otherwise
 * two accounts could share a mailbox.
 */
export function normalizeEmail(typed: string): string {
  const trimmed = typed.trim();
  const domain = trimmed.lastIndexOf('@') + 1;
  return lowered(trimmed.slice(0, domain), 'NFC') + lowered(trimmed.slice(domain), domain > 0 ? 'NFKC' : 'NFC');
}

const MAX_LENGTH = 254;
/** As typed, with spaces around the address. Checked first: the time of the other checks grows with the length. */
const MAX_TYPED_LENGTH = 320;
const MAX_LOCAL_LENGTH = 64;
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]+$/u;
const DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;
/** Invisible characters make addresses look alike; mail servers drop them from a domain and deliver elsewhere. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** Checks the address as typed: spaces around it are allowed, control characters are not. */
export function isEmail(typed: string, leastLabels = 2): boolean {
  if (typed.length > MAX_TYPED_LENGTH || !typed.isWellFormed() || /\p{Cc}/u.test(typed)) return false;
  const email = normalizeEmail(typed);
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const labels = email.slice(at + 1).split('.');
  return (
    at > 0 &&
    [...email].length <= MAX_LENGTH &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL.test(local) &&
    !UNSEEN.test(email) &&
    !/^\.|\.\.|\.$/.test(local) &&
    labels.length >= leastLabels &&
    labels.every((label) => label.length <= 63 && DOMAIN.test(label))
  );
}

/** An address as typed; `normalizeEmail` returns the form that is stored. */
export const Email = Type.String({ format: 'email', maxLength: MAX_TYPED_LENGTH, examples: ['ada@example.com'] });
