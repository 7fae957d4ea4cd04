import { createHash } from 'node:crypto';
import { type Brand, brandStyle, mark, renderDocument } from '@gatehouse/web';
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
header { margin-bottom: 1.5rem; }
.mark { display: inline-flex; align-items: center; gap: .5rem; color: inherit; font-weight: 650; text-decoration: none; }
.mark svg { width: 1.5rem; height: 1.5rem; color: var(--accent); }
.mark .logo { display: block; height: 1.75rem; max-width: 14rem; }
ul { list-style: none; margin: 1.5rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
li + li { border-top: 1px solid var(--line); }
li { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .75rem 1rem; }
.subject { color: inherit; font-weight: 600; overflow-wrap: anywhere; text-decoration: none; }
.subject:hover { text-decoration: underline; }
.content { grid-column: 1 / -1; overflow-wrap: anywhere; }
.code { font-size: 1.25rem; font-weight: 700; letter-spacing: .1em; user-select: all; }
.to { grid-column: 1 / -1; color: var(--faint); overflow-wrap: anywhere; }
@media (max-width: 40rem) { li { grid-template-columns: 1fr; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, iframe { width: 100%; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
pre { margin: 0; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.5 ui-monospace, monospace; }
iframe { height: 40rem; }
code { font-family: ui-monospace, monospace; }
`;

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** Allows the inline style, the logo and the frame with the mail; no scripts, forms or other sources. */
const policyOf = (style: string): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    "img-src 'self' data:",
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

export interface MailPage {
  readonly html: string;
  readonly policy: string;
}

function page(brand: Brand, title: string, content: string): MailPage {
  const style = STYLE + brandStyle(brand);
  const html = renderDocument({
    title: `${title} · ${brand.name}`,
    description: 'Emails that the service has sent in development',
    language: 'en',
    brand,
    style,
    body: { markup: `<header>${mark(brand).markup}</header>\n${content}` },
  });
  return { html, policy: policyOf(style) };
}

const time = (sent_at: string): string =>
  `<time datetime="${escapeHtml(sent_at)}">${escapeHtml(sent_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))}</time>`;

const entry = (mail: StoredMail): string =>
  `<li><a class="subject" href="${LIST_PATH}/${encodeURIComponent(mail.id)}">${escapeHtml(mail.subject)}</a>${time(mail.sent_at)}<span class="to">to ${escapeHtml(mail.to)}</span>${contentOf(mail)}</li>`;

/** The code or the link that the mail was sent for. The text contains either on a line of its own. */
function contentOf({ text }: StoredMail): string {
  const code = /^ {4}(\S+)$/m.exec(text)?.[1];
  if (code !== undefined) return `<code class="content code">${escapeHtml(code)}</code>`;
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  return link === undefined ? '' : `<span class="content">${linked(link)}</span>`;
}

const EMPTY = `<p>No emails yet. In development, no email leaves this machine: every email that the service sends, such as
a sign-in code or a confirmation link, is stored here for you to read.</p>
<p class="faint">The files are in <code>DATA_DIR/mail</code>. With <code>EMAIL_API_KEY</code> and <code>EMAIL_FROM</code>, or with
<code>SMTP_URL</code>, emails are really sent and do not appear here.</p>`;

/** Expects the mails newest first. */
export function renderMailList(mails: readonly StoredMail[], brand: Brand): MailPage {
  const list = mails.length === 0 ? EMPTY : `<ul>\n${mails.map(entry).join('\n')}\n</ul>`;
  return page(
    brand,
    'Sent emails',
    `<main>
<h1>Sent emails</h1>
<p class="faint">Development only. <a href="${LIST_PATH}">Refresh</a></p>
${list}
</main>`,
  );
}

const linked = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) =>
      index % 2 === 0 ? escapeHtml(part) : `<a href="${escapeHtml(part)}" rel="noreferrer">${escapeHtml(part)}</a>`,
    )
    .join('');

export const renderMailContent = (mail: StoredMail): string =>
  mail.html.replace(/<head>/i, '<head><base target="_blank">');

export function renderMail(mail: StoredMail, brand: Brand): MailPage {
  return page(
    brand,
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
