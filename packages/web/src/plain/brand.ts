import { brandColors } from '../brand-colors.ts';
import type { Brand } from '../settings.ts';
import { html, type Markup } from './html.ts';
import { type PlainLanguage, TEXT } from './text.ts';

const GATE = 'M4 21V10a8 8 0 0 1 16 0v11M9 21v-9a3 3 0 0 1 6 0v9M2 21h20';
const DEFAULT_ICON_COLOR = '#3b78e7';
const DARK = '(prefers-color-scheme: dark)';

const gate = (): Markup =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="${GATE}"/></svg>`;

export const mark = (brand: Brand): Markup => html`<a class="mark" href="/">${logoOf(brand)}</a>`;

function logoOf({ name, logo, logo_dark }: Brand): Markup {
  if (!logo) return html`${gate()}${name}`;
  const image = html`<img class="logo" src="${logo}" alt="${name}" height="28">`;
  return logo_dark ? html`<picture><source srcset="${logo_dark}" media="${DARK}">${image}</picture>` : image;
}

/** The default icon is a data URI, so that browsers do not request /favicon.ico. */
export function iconLinks({ logo, logo_dark, color }: Brand): Markup {
  if (!logo) return html`<link rel="icon" href="${gateIcon(color ?? DEFAULT_ICON_COLOR)}">`;
  return html`<link rel="icon" href="${logo}">${logo_dark && html`<link rel="icon" href="${logo_dark}" media="${DARK}">`}`;
}

const gateIcon = (color: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${color}" stroke-width="2" stroke-linecap="round"><path d="${GATE}"/></svg>`,
  )}`;

export function brandLinks(brand: Brand, language: PlainLanguage): Markup {
  const text = TEXT[language];
  const links = [
    [brand.support_url, text.support],
    [brand.privacy_url, text.privacy],
    [brand.terms_url, text.terms],
  ].filter(([url]) => url);
  return html`${links.map(([url, label]) => html`<a href="${url!}">${label!}</a>\n`)}`;
}

/** Styles that replace the accent colours of THEME. */
export function brandStyle({ color }: Brand): string {
  if (!color) return '';
  const { links, washes } = brandColors(color);
  return `:root { --accent: ${links.light}; --accent-wash: ${washes.light}; --solid: ${color}; }
@media (prefers-color-scheme: dark) { :root { --accent: ${links.dark}; --accent-wash: ${washes.dark}; } }
`;
}

/** Inline, so that colours do not change after the first paint. More specific than `ui/base.css`, which loads later. */
export function accentStyle({ color }: Brand, nonce: string): Markup {
  if (!color) return html``;
  const { links, washes, shades } = brandColors(color);
  const markup = `html:root { --accent: ${links.light}; --accent-fill: ${shades[6]}; --accent-wash: ${washes.light}; }
html:root[data-mantine-color-scheme="dark"] { --accent: ${links.dark}; --accent-fill: ${shades[7]}; --accent-wash: ${washes.dark}; }`;
  return html`<style nonce="${nonce}">${{ markup }}</style>`;
}

export const noscript = (brand: Brand, language: PlainLanguage): Markup =>
  html`<p>${mark(brand)}</p>
<p>${TEXT[language].needsScript(brand.name)}</p>
<p>${brandLinks(brand, language)}</p>`;
