/** HTML that needs no escaping. Create it only with `html`, so that nothing unescaped gets into a page. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | false | null | undefined | readonly Part[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(textOf).join('');
}

/**
 * Escapes every value; attributes must be quoted. `undefined`, `null` and `false` render nothing.
 *
 * @example html`<a href="${link}">${label}</a>`
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: strings.reduce((page, string, index) => `${page}${textOf(parts[index - 1])}${string}`),
});

/** Text in which backticks mark code, as in the descriptions of routes. */
export const prose = (text: string): Markup =>
  html`${text.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))}`;
