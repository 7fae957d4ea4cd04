import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BRAND } from '../../../../test/brand.ts';
import { defang, showAddress } from './defang.ts';
import { renderTemplate } from './render.ts';

const ZERO_WIDTH_SPACE = '\u200b';

/**
 * These expressions find everything that a mail program could turn into a link, and more: any two characters around a
 * `.`, `/` or `@` count as an address, and any letter before a `:` as a scheme. Only white space and the zero-width
 * space end a word. Full-width and small Unicode forms, such as `．` and `﹒`, are first replaced by `plain`.
 */
const FINDERS: readonly RegExp[] = [
  /:\/\//,
  /(?:^|[^\p{L}\p{N}/\u200b])\/\/[^\s\u200b]/u,
  /[^\s\u200b][./@][^\s\u200b]/u,
  /\bwww\.[^\s\u200b]/i,
  /\p{L}:[^\s\u200b]/u,
];

/** Maps characters as IDNA does, if the result is a single one: the full stops of Chinese and Japanese are dots. */
const plain = (text: string): string => [...text].map((character) => IDNA_FORMS.get(character) ?? character).join('');
const IDNA_FORMS = new Map(
  Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter((character) => character.isWellFormed())
    .map((character) => [character, character.normalize('NFKC').replace('。', '.')] as const)
    .filter(([, form]) => form.length === 1),
);

const linksIn = (text: string): string[] => FINDERS.flatMap((finder) => finder.exec(plain(text))?.[0] ?? []);

const PIECES = [
  ...['http', 'https', 'HTTPS', 'ftp', 'mailto', 'tel', 'sms', 'javascript', 'x-evil+1', 'www', 'ht', 'tp'],
  ...[
    ':',
    '//',
    '://',
    ':/',
    '/',
    '\\',
    '.',
    '@',
    '..',
    '?',
    '#',
    '&',
    '=',
    '-',
    '_',
    '%2e',
    '%2F',
    '[',
    ']',
    '(',
    ')',
  ],
  ...['。', '．', '｡', '․', '﹒', '／', '＠', '﹫', '：', '﹕', '︓', '︒', '⁄', '∕'],
  ...['evil', 'com', 'io', 'xn--p1ai', 'рф', '公司', '💩', 'é', 'e\u0301', '127', '0', '1', 'localhost', '::1'],
  ...[
    ' ',
    '\u00a0',
    '\u200a',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u2060',
    '\u00ad',
    '\u180e',
    '\t',
    '\n',
  ],
  ...['\u202e', '\u2028', '\ud800', '<', '>', '"', "'", '“', '„'],
];
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.webUrl(),
  fc.emailAddress(),
  fc.ipV4(),
  fc.tuple(fc.domain(), fc.constantFrom(...PIECES), fc.domain()).map((parts) => parts.join('')),
);
const RUNS = { numRuns: 1_000 };

describe('defang', () => {
  it.each([
    ['https://evil.com', 'evil.~com'],
    ['Free money at https://evil.com/x?y=1', 'Free money at evil.~com/~x?y=1'],
    ['hthttps://tps://evil.com', 'evil.~com'],
    ['evil.com', 'evil.~com'],
    ['www.evil.com', 'www.~evil.~com'],
    ['support@bank.com', 'support@~bank.~com'],
    ['mailto:support@bank.com', 'support@~bank.~com'],
    ['mailmailto:to:x@y.z', 'mailmailto:~to:~x@~y.~z'],
    ['//evil.com', 'evil.~com'],
    ['https：／／evil．com', 'evil．~com'],
    ['http:\\\\evil.com', '\\\\evil.~com'],
    ['192.168.0.1/x', '192.~168.~0.~1/~x'],
    ['evil。com', 'evil。~com'],
    ['💩.la', '💩.~la'],
    ['evil.\ufeffcom', 'evil.~\ufeffcom'],
  ])('%s does not become a link', (given, shown) => {
    expect(defang(given)).toBe(shown.replaceAll('~', ZERO_WIDTH_SPACE));
  });

  it.each([
    'Acme',
    'Acme, Inc.',
    'Müller & Söhne GmbH',
    'Data: Berlin',
    '株式会社アクメ',
    'A / B',
    '@acme',
    'Ada’s laptop',
    '.NET',
  ])('%s is not changed', (name) => expect(defang(name)).toBe(name));

  it('leaves nothing in any text that a mail program could turn into a link', () => {
    const property = fc.property(hostile, (text) => {
      expect(linksIn(defang(text))).toEqual([]);
    });
    fc.assert(property, RUNS);
  });

  it('only removes schemes and control characters, and adds zero-width spaces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'ab.@/ '), { maxLength: 20 }), (letters) => {
        const text = letters.join('');
        fc.pre(!/\/\//.test(text));
        expect(defang(text).replaceAll(ZERO_WIDTH_SPACE, '')).toBe(text.trim());
      }),
    );
  });

  it('linksIn, which these tests use, finds links in text that was not defanged', () => {
    for (const text of ['https://evil.com', 'evil.com', 'a@b.c', '//localhost', 'mailto:x', 'evil。com', '1.2.3.4'])
      expect(linksIn(text), text).not.toEqual([]);
  });
});

describe('showAddress', () => {
  it.each(['ada@example.com', 'ada.lovelace+x@mail.example.com', 'jürgen@müller.example'])(
    '%s is shown as it is',
    (email) => expect(showAddress(email)).toBe(email),
  );

  it.each(['evil.com/x@example.com', 'www.evil.com@example.com', 'x?y=evil.com#@example.com'])(
    '%s could be read as a web address, and is defanged',
    (email) => expect(linksIn(showAddress(email))).toEqual([]),
  );
});

describe('mails that show a name', () => {
  const SITE = 'https://id.test';
  const LINK = `${SITE}/accept-invitation?token=abc`;
  const visible = (html: string): string => html.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replaceAll('&amp;', '&');
  /** What is left without the service's own links and the fixed texts of a mail. */
  const foreign = (text: string): string =>
    text.replaceAll(LINK, ' ').replaceAll(SITE, ' ').replaceAll('ada@example.com', ' ');

  it.each(['en', 'de'])('mails contain no link but the service’s own, in %s', (locale) => {
    const property = fc.property(hostile, (name) => {
      const invitation = renderTemplate({
        template: 'invitation',
        locale,
        params: {
          organization_name: name,
          inviter_email: 'ada@example.com',
          inviter_unverified: true,
          service_account: name,
          role: 'member',
          link: LINK,
          days: 7,
        },
        site: SITE,
        brand: BRAND,
      });
      const passkey = renderTemplate({ template: 'passkey_added', locale, params: { name }, site: SITE, brand: BRAND });
      for (const { subject, text, html } of [invitation, passkey]) {
        expect(linksIn(subject)).toEqual([]);
        // In the fixed sentences of a mail, quotation marks and final full stops are not part of a name.
        for (const line of [foreign(text), foreign(visible(html))].flatMap((part) => part.split('\n'))) {
          const words = line.replaceAll(/[„“”]/g, ' ').replaceAll(/[.,](?=\s|$)/g, '');
          if (words !== line.replaceAll(/[.,](?=\s|$)/g, '')) expect(linksIn(words), line).toEqual([]);
        }
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
