import { describe, expect, it } from 'vitest';
import { isEmail, normalizeEmail } from './email.ts';
import { TEXT_FORMATS } from './text.ts';

const MIB = 1024 * 1024;

describe('text formats', () => {
  // A check with quadratic time would take minutes and exceed the timeout of the test.
  it.each([
    ['combining marks out of order', `a${'\u0301'.repeat(MIB / 4)}${'\u0316'.repeat(MIB / 4)}@x.com`],
    ['subtags', Array.from({ length: MIB / 8 }, (_, index) => `v${index.toString(36).padStart(6, '0')}`).join('-')],
    ['letters', 'a'.repeat(MIB)],
    ['spaces', ' '.repeat(MIB)],
    ['dots', '.'.repeat(MIB)],
    ['at signs', '@'.repeat(MIB)],
    ['hyphens', 'a-'.repeat(MIB / 2)],
    ['digits', '0'.repeat(MIB)],
    ['surrogates', '\ud800'.repeat(MIB)],
  ])('all formats check a megabyte of %s without delay', (_name, hostile) => {
    for (const [name, check] of Object.entries(TEXT_FORMATS)) expect(typeof check(hostile), name).toBe('boolean');
  });

  it.each([
    '2030-01-01T00:00:00Z',
    '2030-12-31t23:59:59.123456789z',
    '2028-02-29T10:00:00+02:00',
    '0000-01-01T00:00:00-23:59',
  ])('%s is a date-time', (typed) => expect(TEXT_FORMATS['date-time'](typed)).toBe(true));

  it.each([
    '2030-01-01',
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-04-31T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-10T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01T00:00:00.Z',
    '+02030-01-01T00:00:00Z',
    '2030-01-01T00:00:00Z\n',
  ])('%j is not a date-time', (typed) => expect(TEXT_FORMATS['date-time'](typed)).toBe(false));

  it.each([
    'ada@example.com',
    'ADA@EXAMPLE.COM',
    '  ada@example.com ',
    "o'brien+tag@sub.example.co.uk",
    'üñí@exämple.de',
    `${'a'.repeat(64)}@example.com`,
    '用户@例子.广告',
  ])('%s is an email address', (typed) => expect(isEmail(typed)).toBe(true));

  it.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'a b@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exam_ple.com',
    'ada@example..com',
    '"ada"@example.com',
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada\u0000@example.com',
    'ada\u202e@example.com',
    'ada\u034f@example.com',
    'ada@exam\ufe0fple.com',
    'ada@exam\u3164ple.com',
    'ada\uff20example.com',
    'ada@exa\u2100mple.com',
    '\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(126)}com`,
  ])('%j is not an email address', (typed) => expect(isEmail(typed)).toBe(false));

  it('normalizes an email address to one form, which normalizes to itself', () => {
    expect(normalizeEmail(' Ada@EXAMPLE.com ')).toBe('ada@example.com');
    for (const typed of ['\u00c5@example.com', 'A\u030a@example.com', '\u212b@example.com']) {
      expect(normalizeEmail(typed)).toBe('å@example.com');
    }
    for (const typed of ['ada@ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@ⓔxample.com', 'ada@exampl\u212f.com', 'ada@Example.ℂom']) {
      expect(normalizeEmail(typed)).toBe('ada@example.com');
    }
    // The part before the @ is not changed: only the receiving server interprets it.
    expect(normalizeEmail('ａda@example.com')).toBe('ａda@example.com');
    expect(isEmail('ada@คำ.ไทย')).toBe(true);
    for (const typed of ['İ@example.com', 'a@İ.com', 'a@ﬃ.com', 'a@คำ.ไทย', 'ẞ@example.com', 'Ω@example.com']) {
      expect(normalizeEmail(normalizeEmail(typed))).toBe(normalizeEmail(typed));
    }
  });

  it('text has no line breaks, control characters or direction overrides; both text directions are accepted', () => {
    for (const text of ['a\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u202eb', 'a\u2066b', 'a\u0000', '\udc00']) {
      expect(TEXT_FORMATS.text(text), JSON.stringify(text)).toBe(false);
    }
    for (const text of ['', 'שלום עולם', 'مرحبا', 'Zoë 👩‍🚀', 'a\u200fb'])
      expect(TEXT_FORMATS.text(text), text).toBe(true);
    expect(TEXT_FORMATS.name('  ')).toBe(false);
  });

  it('locale accepts language tags and rejects malformed ones', () => {
    for (const tag of ['de', 'de-CH', 'zh-Hant-TW', 'en-u-ca-gregory'])
      expect(TEXT_FORMATS.locale(tag), tag).toBe(true);
    for (const tag of ['', 'x', 'de_CH', 'de-12', 'de\u0000']) expect(TEXT_FORMATS.locale(tag), tag).toBe(false);
  });
});
