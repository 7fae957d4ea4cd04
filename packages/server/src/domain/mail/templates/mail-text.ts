import { escapeHtml } from './escape.ts';

/** The plain text of a mail. Templates contain no markup: the layout escapes every string. */
export interface MailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly code?: string;
  readonly action?: { readonly label: string; readonly link: string };
  /** How long the code or link is valid, and what to do if the reader did not ask for it. */
  readonly closing: readonly string[];
}

export interface MailBrand {
  readonly name: string;
  /** `#rrggbb`; null: the default colours. */
  readonly color: string | null;
  readonly support_url: string | null;
  readonly privacy_url: string | null;
  readonly terms_url: string | null;
}

export interface FrameText {
  readonly language: string;
  readonly greeting: string;
  /** Precedes the bare link, for mail programs in which the button does not work. */
  readonly copyHint: string;
  readonly footer: string;
  readonly support: string;
  readonly privacy: string;
  readonly terms: string;
}

export interface Frame extends FrameText {
  /** Help, privacy policy and terms, as far as the operator has set them. */
  readonly links: readonly { readonly label: string; readonly url: string }[];
  readonly brand: MailBrand;
}

export function renderText(text: MailText, frame: Frame): string {
  const parts = [frame.greeting, ...text.paragraphs];
  if (text.code) parts.push(`    ${text.code}`);
  if (text.action) parts.push(`${text.action.label}:\n${text.action.link}`);
  const links = frame.links.map(({ label, url }) => `${label}: ${url}`);
  const signature = ['-- ', frame.brand.name, frame.footer, ...links].join('\n');
  return `${[...parts, ...text.closing, signature].join('\n\n')}\n`;
}

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const DEFAULT_COLOR = '#1f5fd6';
const DEFAULT_DARK_BUTTON = 'background:#7aa7ff!important;color:#10131a!important';

const layoutStyle = ({ color }: MailBrand): string => `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.page{background:#16181d!important}
.card{background:#1f2329!important;border-color:#343a43!important}
.text{color:#e6e8eb!important}
.faint,.faint a{color:#a2a9b4!important}
.code{background:#2a3038!important;color:#ffffff!important}
.button{${color === null ? DEFAULT_DARK_BUTTON : `background:${color}!important`}}
}`;

const paragraph = (text: string): string =>
  `<p class="text" style="margin:0 0 16px;${FONT};font-size:16px;line-height:24px;color:#1d2129">${escapeHtml(text)}</p>`;

const codeBlock = (code: string): string =>
  `<p class="code" style="margin:8px 0 24px;padding:16px;border-radius:8px;background:#f0f2f5;color:#10131a;text-align:center;font-family:Consolas,Menlo,monospace;font-size:32px;line-height:40px;letter-spacing:6px;font-weight:700">${escapeHtml(code)}</p>`;

const faint = (html: string): string =>
  `<p class="faint" style="margin:0 0 12px;${FONT};font-size:13px;line-height:20px;color:#5c6470;word-break:break-word">${html}</p>`;

const button = ({ label, link }: { label: string; link: string }, frame: Frame): string =>
  `<p style="margin:8px 0 24px"><a class="button" href="${escapeHtml(link)}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:${frame.brand.color ?? DEFAULT_COLOR};color:#ffffff;${FONT};font-size:16px;line-height:24px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
${faint(`${escapeHtml(frame.copyHint)}<br><a href="${escapeHtml(link)}" style="color:#5c6470">${escapeHtml(link)}</a>`)}`;

const heading = ({ name }: MailBrand): string =>
  `<p class="text" style="margin:0;${FONT};font-size:18px;line-height:24px;font-weight:700;color:#1d2129">${escapeHtml(name)}</p>`;

const footerLink = ({ label, url }: Frame['links'][number]): string =>
  `<a href="${escapeHtml(url)}" style="color:#5c6470">${escapeHtml(label)}</a>`;

/** Tables and inline styles, because mail programs support little else. */
export function renderHtml(text: MailText, frame: Frame): string {
  const content = [
    paragraph(frame.greeting),
    ...text.paragraphs.map(paragraph),
    ...(text.code ? [codeBlock(text.code)] : []),
    ...(text.action ? [button(text.action, frame)] : []),
    ...text.closing.map(paragraph),
  ].join('\n');
  return `<!doctype html>
<html lang="${escapeHtml(frame.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(text.subject)}</title>
<style>${layoutStyle(frame.brand)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f5f6f8">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f5f6f8"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px"><tr><td style="padding:0 32px 16px">
${heading(frame.brand)}
</td></tr><tr><td class="card" style="padding:32px;border:1px solid #e1e4e8;border-radius:12px;background:#ffffff">
${content}
</td></tr><tr><td style="padding:16px 32px 0">
${faint(escapeHtml(frame.footer))}
${frame.links.length > 0 ? faint(frame.links.map(footerLink).join(' · ')) : ''}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
