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
  /** The address of the service, as people know it. */
  site: string;
}

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(en.letters, name);

/** The first language of those wanted that we speak: `de-CH` is German. English when none is. */
export function chooseLocale(...wanted: (string | null | undefined)[]): Locale {
  for (const tag of wanted) {
    const language = tag?.split(/[-_]/)[0]?.toLowerCase() ?? '';
    if (Object.hasOwn(LOCALES, language)) return language as Locale;
  }
  return 'en';
}

export function renderTemplate<Name extends TemplateName>(content: MailContent<Name>): RenderedMail {
  const { frame, letters } = LOCALES[chooseLocale(content.locale)];
  const write = letters[content.template] as (params: MailTemplates[Name], site: string) => MailText;
  const text = write(cleaned(content.params), content.site);
  const around = frame(content.site);
  return { subject: oneLine(text.subject), text: renderText(text, around), html: renderHtml(text, around) };
}

/** Made by the service from its own settings: shown as it is, and meant to be followed. */
const OWN_LINKS: ReadonlySet<string> = new Set(['link']);
const ADDRESSES: ReadonlySet<string> = new Set(['new_email', 'inviter_email', 'account_email', 'changed_by']);

/** Every other text may have been chosen by a user or a tenant. */
const cleaned = <Params extends object>(params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? clean(name, value) : value]),
  ) as Params;

function clean(name: string, value: string): string {
  if (OWN_LINKS.has(name)) return oneLine(value);
  return ADDRESSES.has(name) ? showAddress(value) : defang(value);
}
