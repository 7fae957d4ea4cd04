import { createHash } from 'node:crypto';
import { escapeHtml } from '../../domain/mail/templates/escape.ts';
import type { StoredMail } from '../../platform/mail/folder.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2129; --faint: #5c6470; --line: #dfe3e8; --paper: #fff; --ground: #f5f6f8; --accent: #1f5fd6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --faint: #a2a9b4; --line: #343a43; --paper: #1f2329; --ground: #16181d; --accent: #7aa7ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 56rem; padding: 2rem 1rem 4rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
a { color: var(--accent); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
p, dl { margin: 0 0 1rem; }
.faint, dt, time { color: var(--faint); }
ul { list-style: none; margin: 1.5rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
li + li { border-top: 1px solid var(--line); }
li a { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .75rem 1rem; color: inherit; text-decoration: none; }
li a:hover .subject { text-decoration: underline; }
.subject { font-weight: 600; overflow-wrap: anywhere; }
.to { grid-column: 1 / -1; color: var(--faint); overflow-wrap: anywhere; }
@media (max-width: 40rem) { li a { grid-template-columns: 1fr; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, iframe { width: 100%; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
pre { margin: 0; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.5 ui-monospace, monospace; }
iframe { height: 40rem; }
code { font-family: ui-monospace, monospace; }
`;

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** Allows the inline style and the frame with the mail; no scripts, images, forms or other sources. */
export const DEV_MAIL_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For the HTML of a mail: no scripts, no forms, no origin. The sandbox only lets its links open in a new tab. */
export const MAIL_CONTENT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

const LIST_PATH = '/dev/mail';

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`;

const time = (sent_at: string): string =>
  `<time datetime="${escapeHtml(sent_at)}">${escapeHtml(sent_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))}</time>`;

const entry = (mail: StoredMail): string =>
  `<li><a href="${LIST_PATH}/${encodeURIComponent(mail.id)}"><span class="subject">${escapeHtml(mail.subject)}</span>${time(mail.sent_at)}<span class="to">to ${escapeHtml(mail.to)}</span></a></li>`;

const EMPTY = `<p>No emails yet. In development, no email leaves this machine: every email that the service sends, such as
a sign-in code or a confirmation link, is stored here for you to read.</p>
<p class="faint">The files are in <code>DATA_DIR/mail</code>. With <code>EMAIL_API_KEY</code> and <code>EMAIL_FROM</code>, or with
<code>SMTP_URL</code>, emails are really sent and do not appear here.</p>`;

/** Expects the mails newest first. */
export function renderMailList(mails: readonly StoredMail[]): string {
  const list = mails.length === 0 ? EMPTY : `<ul>\n${mails.map(entry).join('\n')}\n</ul>`;
  return page(
    'Sent emails',
    `<main>
<h1>Sent emails</h1>
<p class="faint">Development only. <a href="${LIST_PATH}">Refresh</a></p>
${list}
</main>`,
  );
}

/** Escapes the text and makes its links clickable. */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) =>
      index % 2 === 0 ? escapeHtml(part) : `<a href="${escapeHtml(part)}" rel="noreferrer">${escapeHtml(part)}</a>`,
    )
    .join('');

/** The document inside the frame. */
export const renderMailContent = (mail: StoredMail): string =>
  mail.html.replace(/<head>/i, '<head><base target="_blank">');

export function renderMail(mail: StoredMail): string {
  return page(
    mail.subject,
    `<nav><a href="${LIST_PATH}">All sent emails</a></nav>
<main>
<h1>${escapeHtml(mail.subject)}</h1>
<dl>
<dt>To</dt><dd>${escapeHtml(mail.to)}</dd>
<dt>From</dt><dd>${escapeHtml(mail.from)}</dd>
<dt>Sent</dt><dd>${time(mail.sent_at)}</dd>
</dl>
<h2>Text</h2>
<pre>${linked(mail.text)}</pre>
<h2>HTML</h2>
<iframe title="The email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${LIST_PATH}/${encodeURIComponent(mail.id)}/html"></iframe>
</main>`,
  );
}
