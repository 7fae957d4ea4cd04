import { oneLine } from './escape.ts';

/** `scheme://`, and `//` at the start of a word: mail programs treat both as the start of a URL. */
const AUTHORITY = /(?:[a-z][a-z0-9+.-]*)?[:：﹕︓][/／]{2,}|(?<![\p{L}\p{N}/／])[/／]{2,}(?=[^\p{Zs}])/giu;
/**
 * Schemes that work without slashes and are not ordinary words. An ordinary word before a `:` is kept, and a zero-width
 * space is added after the `:`.
 */
const SCHEME =
  /(?<![\p{L}\p{N}])(?:https?|ftps?|mailto|tel|callto|sms|sips?|xmpp|javascript|vbscript)[:：﹕︓](?=[^\p{Zs}])/giu;
/** The separators in URLs and addresses, including the wide and small forms that IDNA maps to the plain ones. */
const JOINT = /(?<=[^\p{Zs}])[.。．｡︒․﹒/／@＠﹫:：﹕︓](?=[^\p{Zs}])/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Returns a text chosen by a user or tenant as one line in which no mail program finds a link: schemes are removed, and
 * a zero-width space follows each `.`, `/`, `@` and `:` inside a word. For a reader, the rest of the text looks the
 * same.
 */
export const defang = (text: string): string => withoutSchemes(oneLine(text)).replace(JOINT, `$&${ZERO_WIDTH_SPACE}`);

/** Repeated, because removing one scheme can join the letters of another. Each pass shortens the text. */
function withoutSchemes(text: string): string {
  const shorter = text.replace(AUTHORITY, '').replace(SCHEME, '');
  return shorter === text ? text.trim() : withoutSchemes(shorter);
}

const PLAIN_ADDRESS = /^(?!www\.)[\p{L}\p{M}\p{N}._+-]+@[\p{L}\p{M}\p{N}.-]+$/iu;

/** Returns an email address unchanged, unless its local part could be read as a web address. */
export const showAddress = (email: string): string => {
  const line = oneLine(email);
  return PLAIN_ADDRESS.test(line) ? line : defang(line);
};
