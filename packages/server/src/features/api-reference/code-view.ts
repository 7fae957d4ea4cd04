import { ERRORS, type ErrorCode } from '@gatehouse/contract';
import { html, type Markup, prose } from '@gatehouse/web';
import { ERROR_MEANING } from '../../http/openapi-errors.ts';

/** Allows line breaks between the words of a path or name, for narrow screens. */
export const breakable = (name: string): Markup =>
  html`${name.split(/(?=\/)|(?<=[_.])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}`;

export const example = (caption: string, text: string): Markup =>
  html`<figure><figcaption>${caption}</figcaption><pre><code>${text}</code></pre></figure>
`;

export function errorTable(caption: string, codes: readonly ErrorCode[]): Markup {
  const sorted = codes.toSorted((one, other) => ERRORS[one].status - ERRORS[other].status);
  return html`<table class="errors">
<caption><span class="hidden">${caption}</span></caption>
<thead><tr><th scope="col"><span class="hidden">Status and code</span></th><th scope="col"><span class="hidden">When</span></th></tr></thead>
<tbody>
${sorted.map(errorRow)}</tbody>
</table>
`;
}

const errorRow = (code: ErrorCode): Markup =>
  html`<tr><th scope="row"><span class="status">${ERRORS[code].status}</span> <code>${breakable(code)}</code></th><td>${prose(ERROR_MEANING[code])}</td></tr>
`;
