import { html, type Markup } from './html.ts';

const GATE = 'M4 21V10a8 8 0 0 1 16 0v11M9 21v-9a3 3 0 0 1 6 0v9M2 21h20';

// A data URI, so that a page is one request and browsers do not request /favicon.ico.
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3b78e7" stroke-width="2" stroke-linecap="round"><path d="${GATE}"/></svg>`,
)}`;

/** Logo and name, linked to the home page. */
export const mark = (): Markup =>
  html`<a class="mark" href="/"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="${GATE}"/></svg>Gatehouse</a>`;

interface Page {
  readonly title: string;
  readonly description: string;
  /** The only style sheet; the CSP of the page contains its hash. */
  readonly style: string;
  readonly body: Markup;
}

/** A complete page without scripts or external resources. */
export const renderDocument = ({ title, description, style, body }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${{ markup: style }}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
