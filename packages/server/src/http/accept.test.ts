import { describe, expect, it } from 'vitest';
import { acceptedLanguages, acceptsEncoding, prefersHtml } from './accept.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('Accept', () => {
  it.each([
    [BROWSER, true],
    ['text/html', true],
    ['TEXT/HTML;charset=utf-8', true],
    ['text/*', true],
    ['text/html, */*', true],
    ['text/html, application/json', true],
    ['text/html, application/json;q=0.9', true],
    ['text/html;q=0.5, */*;q=0.1', true],
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html', false],
    ['text/html;q=0.8, application/json', false],
    ['text/html;q=0.8, */*', false],
    ['text/html;q=0', false],
    ['text/html;q=x', false],
    ['text/plain', false],
    ['image/avif,image/webp,*/*;q=0.8', false],
  ])('%s prefers HTML: %s', (header, expected) => expect(prefersHtml(header)).toBe(expected));
});

describe('Accept-Language', () => {
  it.each([
    ['de-CH,de;q=0.9,en;q=0.8', ['de-ch', 'de', 'en']],
    ['en;q=0.5, de', ['de', 'en']],
    ['*, de;q=0', []],
    [undefined, []],
  ])('%s yields the languages %j', (header, expected) => expect(acceptedLanguages(header)).toEqual(expected));
});

describe('Accept-Encoding', () => {
  it.each([
    ['gzip, br', true],
    ['br;q=0', false],
    ['brx, *', false],
    [undefined, false],
  ])('%s accepts br: %s', (header, expected) => expect(acceptsEncoding(header, 'br')).toBe(expected));
});
