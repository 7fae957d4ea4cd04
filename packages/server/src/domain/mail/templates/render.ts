import * as de from './de.ts';
import { defang, showAddress } from './defang.ts';
import * as en from './en.ts';
import { oneLine } from './escape.ts';
import { type Frame, type FrameText, type MailBrand, type MailText, renderHtml, renderText } from './mail-text.ts';
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
  site: string;
  brand: MailBrand;
}

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(en.templates, name);

/** Returns the supported language of a tag: `de-CH` is German. */
export function languageOf(tag: string | null | undefined): Locale | undefined {
  const language = tag?.split(/[-_]/)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(LOCALES, language) ? (language as Locale) : undefined;
}

export function chooseLocale(...wanted: (string | null | undefined)[]): Locale {
  for (const tag of wanted) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}

export function renderTemplate<Name extends TemplateName>(content: MailContent<Name>): RenderedMail {
  const { frame, templates } = LOCALES[chooseLocale(content.locale)];
  const write = templates[content.template] as (params: MailTemplates[Name], site: string) => MailText;
  const text = write(cleaned(content.params), content.site);
  const around = inFrame(frame(content.site), content.brand);
  return { subject: oneLine(text.subject), text: renderText(text, around), html: renderHtml(text, around) };
}

function inFrame(text: FrameText, brand: MailBrand): Frame {
  const links = [
    { label: text.support, url: brand.support_url },
    { label: text.privacy, url: brand.privacy_url },
    { label: text.terms, url: brand.terms_url },
  ];
  return { ...text, brand, links: links.filter((link): link is { label: string; url: string } => link.url !== null) };
}

/** Parameters that the service creates from its settings: shown unchanged, as links. */
const OWN_LINKS: ReadonlySet<string> = new Set(['link']);
const ADDRESSES: ReadonlySet<string> = new Set(['email', 'new_email', 'inviter_email', 'account_email', 'changed_by']);

/** Cleans the text of all parameters except `OWN_LINKS`, because a user or a tenant may have chosen it. */
const cleaned = <Params extends object>(params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? clean(name, value) : value]),
  ) as Params;

function clean(name: string, value: string): string {
  if (OWN_LINKS.has(name)) return oneLine(value);
  return ADDRESSES.has(name) ? showAddress(value) : defang(value);
}
