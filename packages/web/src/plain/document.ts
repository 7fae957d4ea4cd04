import type { Brand } from '../settings.ts';
import { iconLinks } from './brand.ts';
import { html, type Markup } from './html.ts';
import type { PlainLanguage } from './text.ts';

interface Page {
  readonly title: string;
  readonly description: string;
  readonly language: PlainLanguage;
  readonly brand: Brand;
  /** The only style sheet; the CSP of the page contains its hash. */
  readonly style: string;
  /** The only script, if any; the CSP contains its hash too. */
  readonly script?: string;
  readonly body: Markup;
}

/** A complete page without external resources except the logo. */
export const renderDocument = ({ title, description, language, brand, style, script, body }: Page): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title}</title>
${iconLinks(brand)}
<style>${{ markup: style }}</style>
</head>
<body>
${body}
${script !== undefined && html`<script>${{ markup: script }}</script>\n`}</body>
</html>
`.markup;
