import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { BRAND } from '../../../../test/brand.ts';
import * as de from './de.ts';
import * as en from './en.ts';
import type { MailTemplates, TemplateName } from './params.ts';
import { chooseLocale, isTemplate, renderTemplate } from './render.ts';

const SITE = 'https://id.example.com';
const LINK = `${SITE}/page?token=abc&x=1`;

const SAMPLES: MailTemplates = {
  verify_email: { link: LINK, hours: 24 },
  login_code: { code: '042137', minutes: 10 },
  password_reset: { link: LINK, hours: 1 },
  email_change_confirm: { link: LINK, new_email: 'new@example.com', hours: 24 },
  email_change_notice: { new_email: 'new@example.com' },
  email_in_use_notice: {},
  invitation: {
    organization_name: 'Acme',
    inviter_email: 'ada@example.com',
    inviter_unverified: false,
    role: 'admin',
    link: LINK,
    days: 7,
  },
  unproven_sign_in: { created_at: Date.parse('2030-01-17T12:00:00.000Z'), device: 'Firefox' },
  passkey_added: { name: 'Laptop' },
  identity_linked: { provider: 'Google' },
  mfa_enabled: {},
  mfa_disabled: {},
  second_factor_guessed: { with_password: true },
  recovery_codes_replaced: {},
  recovery_code_used: {},
  passkey_removed: { name: 'Laptop', count: 1 },
  platform_role_granted: { role: 'admin' },
  platform_role_notice: { account_email: 'ada@example.com', role: 'owner' },
  mail_transport_changed: { changed_by: 'ada@example.com', over: 'new' },
  webhook_disabled: { organization_name: 'Acme', host: 'receiver', reason: 'gone' },
  password_changed: {},
  policy_reset: { organization_name: 'Example' },
  break_glass: { organization_name: 'Example', email: 'ada@example.com' },
  domain_failing: { organization_name: 'Acme', domain: 'acme', days: 7 },
};
const NAMES = Object.keys(SAMPLES) as TemplateName[];
/** Parameters that a mail shows as words instead of the value itself. */
const SHOWN_IN_WORDS = ['role', 'hours', 'days', 'created_at', 'over', 'count', 'reason'];

const render = <Name extends TemplateName>(template: Name, params: MailTemplates[Name], locale = 'en', brand = BRAND) =>
  renderTemplate({ template, locale, params, site: SITE, brand });

describe('mail templates', () => {
  it.each(NAMES.flatMap((name) => [[name, 'en'] as const, [name, 'de'] as const]))(
    '%s in %s has the same content as text and HTML',
    (name, locale) => {
      const { subject, text, html } = render(name, SAMPLES[name], locale);
      expect(subject).not.toBe('');
      expect(html).toContain(`<html lang="${locale}">`);
      for (const [param, value] of Object.entries(SAMPLES[name])) {
        if (typeof value === 'boolean' || SHOWN_IN_WORDS.includes(param)) continue;
        expect(text).toContain(String(value));
        expect(html).toContain(String(value).replaceAll('&', '&amp;'));
      }
      expect(`${subject}${text}${html}`).not.toMatch(/undefined|null|\[object|NaN/);
      expect(text).not.toContain('<');
    },
  );

  it('keeps the code out of the subject, which servers log', () => {
    for (const locale of ['en', 'de'])
      expect(render('login_code', SAMPLES.login_code, locale).subject).not.toMatch(/\d/);
  });

  it('escapes user input', async () => {
    const name = '<img src=x onerror=alert(1)> & "Söhne" \'GmbH\'';
    const params = { ...SAMPLES.invitation, organization_name: name };
    for (const locale of ['en', 'de']) {
      const { subject, text, html } = render('invitation', params, locale);
      expect(html).not.toContain('<img');
      expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Söhne&quot; &#39;GmbH&#39;');
      expect(text).toContain(name);
      expect(subject).toContain(name);
    }
    const quoted = render('verify_email', { link: `${SITE}/"onclick="x`, hours: 1 });
    expect(quoted.html).not.toContain('"onclick');
  });

  it('keeps every value on one line', () => {
    const name = 'Acme\r\nBcc: eve@example.com\u2028\u202egnitrats\u0000';
    const { subject, text } = render('invitation', { ...SAMPLES.invitation, organization_name: name });
    expect(subject).toBe('Invitation to join Acme Bcc: eve@\u200bexample.\u200bcom gnitrats');
    expect(text).not.toMatch(/^Bcc/m);
    expect(text).not.toMatch(/[\u2028\u202e\u0000]/);
  });

  const MACHINE = { service_account: 'Import', inviter_email: '' };
  it.each([
    ['en', 'ada@example.com (address not verified) invites you', 'The sender has not confirmed this email address', {}],
    [
      'de',
      'ada@example.com (Adresse nicht bestätigt) lädt Sie',
      'Der Absender hat diese E-Mail-Adresse nicht bestätigt',
      {},
    ],
    [
      'en',
      'The service account “Import” (not verified) invites you',
      'The user who created this service account has not confirmed',
      MACHINE,
    ],
    [
      'de',
      'Das Dienstkonto „Import“ (nicht bestätigt) lädt Sie',
      'Wer dieses Dienstkonto angelegt hat, hat seine E-Mail-Adresse nicht bestätigt',
      MACHINE,
    ],
  ])(
    'an invitation in %s says if the email address of the inviting user is not verified: %s',
    (locale, sender, warning, by) => {
      const unverified = render('invitation', { ...SAMPLES.invitation, ...by, inviter_unverified: true }, locale);
      const verified = render('invitation', { ...SAMPLES.invitation, ...by }, locale);
      for (const sentence of [sender, warning]) {
        expect(unverified.text).toContain(sentence);
        expect(unverified.html).toContain(sentence);
        expect(verified.text).not.toContain(sentence);
      }
    },
  );

  it('renders HTML that a mail parser reads', async () => {
    const { html, text } = render('password_reset', SAMPLES.password_reset);
    const raw = `Content-Type: text/html; charset=utf-8\r\n\r\n${html}`;
    expect((await PostalMime.parse(raw)).html).toContain('href="https://id.example.com/page?token=abc&amp;x=1"');
    expect(html).not.toMatch(/<script|src=|url\(/);
    expect(text).toMatch(/^https:\/\/id\.example\.com\/page\?token=abc&x=1$/m);
    expect(text).toContain('within 1 hour.');
  });

  it('uses umlauts and "Sie" in German', () => {
    const { subject, text } = render('invitation', { ...SAMPLES.invitation, days: 1 }, 'de-AT');
    expect(subject).toBe('Einladung zu Acme');
    expect(text).toContain('lädt Sie in die Organisation „Acme“ ein');
    expect(text).toContain('einen Tag');
  });

  it('has every template in every language', () => {
    expect(Object.keys(en.templates).sort()).toEqual([...NAMES].sort());
    expect(Object.keys(de.templates).sort()).toEqual([...NAMES].sort());
    expect(isTemplate('verify_email')).toBe(true);
    for (const name of ['nothing', 'constructor', '__proto__']) expect(isTemplate(name)).toBe(false);
  });

  it('chooses the first supported language', () => {
    expect(chooseLocale('de-CH', 'en')).toBe('de');
    expect(chooseLocale(null, undefined, 'de')).toBe('de');
    expect(chooseLocale('fr', 'DE_de')).toBe('de');
    expect(chooseLocale('fr', 'constructor')).toBe('en');
  });

  it.each([
    ['en', ['Help', 'Privacy policy', 'Terms of service']],
    ['de', ['Hilfe', 'Datenschutz', 'Nutzungsbedingungen']],
  ])('contain the name, the colour and the links of the brand, in %s', (locale, labels) => {
    const brand = {
      ...BRAND,
      name: 'Example & <Co>',
      color: '#006400',
      support_url: 'https://help.example.com/?a=1&b=2',
      privacy_url: 'https://example.com/privacy',
      terms_url: 'https://example.com/terms',
    };
    const { text, html } = render('verify_email', SAMPLES.verify_email, locale, brand);
    expect(text).toContain('-- \nExample & <Co>\n');
    expect(html).toContain('>Example &amp; &lt;Co&gt;</p>');
    expect(html).toContain('background:#006400;color:#ffffff');
    expect(html).not.toMatch(/#1f5fd6|#7aa7ff/);
    const urls = ['https://help.example.com/?a=1&b=2', 'https://example.com/privacy', 'https://example.com/terms'];
    for (const [index, label] of labels.entries()) {
      expect(text).toContain(`${label}: ${urls[index]}`);
      expect(html).toContain(`href="${urls[index]!.replaceAll('&', '&amp;')}"`);
    }
    const plain = render('verify_email', SAMPLES.verify_email, locale);
    expect(plain.text).toContain('-- \nGatehouse\n');
    for (const label of labels) expect(plain.text).not.toContain(`${label}: `);
  });
});
