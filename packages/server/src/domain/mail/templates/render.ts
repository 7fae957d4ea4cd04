import * as de from './de.ts';
import { defang, showAddress } from './defang.ts';
import * as en from './en.ts';
import { oneLine } from './escape.ts';
import { type MailText, renderHtml, renderText } from './mail-text.ts';
import type { MailTemplates, TemplateName } from './params.ts';

const LOCALES = { en, de };
export type Locale = keyof typeof LOCALES;

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

interface MailContent<Name extends TemplateName> {
  template: Name;
  locale: string;
  params: MailTemplates[Name];
  /** The public URL of the service. */
  site: string;
}

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(en.templates, name);

/** Returns the first supported language (`de-CH` is German), or English. */
export function chooseLocale(...wanted: (string | null | undefined)[]): Locale {
  for (const tag of wanted) {
    const language = tag?.split(/[-_]/)[0]?.toLowerCase() ?? '';
    if (Object.hasOwn(LOCALES, language)) return language as Locale;
  }
  return 'en';
}

export function renderTemplate<Name extends TemplateName>(content: MailContent<Name>): RenderedMail {
  const { frame, templates } = LOCALES[chooseLocale(content.locale)];
  const write = templates[content.template] as (params: MailTemplates[Name], site: string) => MailText;
  const text = write(cleaned(content.params), content.site);
  const around = frame(content.site);
  return { subject: oneLine(text.subject), text: renderText(text, around), html: renderHtml(text, around) };
}

/** Parameters that the service creates from its settings: shown unchanged, as links. */
const OWN_LINKS: ReadonlySet<string> = new Set(['link']);
const ADDRESSES: ReadonlySet<string> = new Set(['new_email', 'inviter_email', 'account_email', 'changed_by']);

/** Cleans the text of all parameters except `OWN_LINKS`, because a user or a tenant may have chosen it. */
const cleaned = <Params extends object>(params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? clean(name, value) : value]),
  ) as Params;

function clean(name: string, value: string): string {
  if (OWN_LINKS.has(name)) return oneLine(value);
  return ADDRESSES.has(name) ? showAddress(value) : defang(value);
}
