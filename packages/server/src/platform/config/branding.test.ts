import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConfigError, loadConfig } from './load.ts';

const REQUIRED = { JWT_SECRET: 'x'.repeat(40), PUBLIC_BASE_URL: 'https://id.example.com' };
const load = (environment: Record<string, string>) => loadConfig({ ...REQUIRED, ...environment });
const faults = (environment: Record<string, string>): readonly string[] => {
  try {
    load(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

let folder: string;
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-brand-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)]);
const WEBP = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(20)]);
const SVG = '<?xml version="1.0"?>\n<!-- a logo -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('branding settings', () => {
  it('are optional and have defaults', () => {
    expect(load({})).toMatchObject({
      BRAND_NAME: 'Gatehouse',
      BRAND_LOGO: undefined,
      BRAND_LOGO_DARK: undefined,
      BRAND_COLOR: undefined,
      SUPPORT_URL: undefined,
      PRIVACY_URL: undefined,
      TERMS_URL: undefined,
      PASSWORD_MIN_STRENGTH: 0,
    });
  });

  it.each([
    ['BRAND_NAME', 'Größe & Söhne', 'Größe & Söhne'],
    ['BRAND_COLOR', '#1F5FD6', '#1f5fd6'],
    ['BRAND_COLOR', '#767676', '#767676'],
    ['SUPPORT_URL', 'https://example.com/help?a=1#b', 'https://example.com/help?a=1#b'],
    ['PRIVACY_URL', 'http://example.com', 'http://example.com/'],
    ['TERMS_URL', 'https://example.com/@terms', 'https://example.com/@terms'],
    ['PASSWORD_MIN_STRENGTH', '4', 4],
  ])('accepts %s=%s', (name, given, expected) => {
    expect(load({ [name]: given })[name as 'BRAND_NAME']).toBe(expected);
  });

  it.each([
    ['BRAND_NAME', 'x'.repeat(81)],
    ['BRAND_NAME', 'two\nlines'],
    ['BRAND_NAME', 'a\u202eb'],
    ['BRAND_COLOR', 'red'],
    ['BRAND_COLOR', '#fff'],
    ['BRAND_COLOR', '#777777'],
    ['BRAND_COLOR', '#ffffff'],
    ['SUPPORT_URL', 'help'],
    ['SUPPORT_URL', 'mailto:help@example.com'],
    ['PRIVACY_URL', 'javascript:alert(1)'],
    ['TERMS_URL', 'https://user:hunter2@example.com'],
    ['PASSWORD_MIN_STRENGTH', '5'],
    ['PASSWORD_MIN_STRENGTH', '-1'],
    ['BRAND_LOGO', '/nowhere/logo.png'],
    ['ROUTE_PREFIX', '/oauth'],
    ['ROUTE_PREFIX', '/oauth/v1'],
    ['ROUTE_PREFIX', '/brand'],
    ['ROUTE_PREFIX', '/device/x'],
  ])('rejects %s=%j and names the setting', (name, given) => {
    const found = faults({ [name]: given });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name} `));
    expect(found[0]).not.toContain('hunter2');
  });

  it('accepts a route prefix that only begins with the letters of a reserved path', () => {
    expect(load({ ROUTE_PREFIX: '/oauth2' }).ROUTE_PREFIX).toBe('/oauth2');
  });

  it.each([
    ['logo.png', PNG, 'image/png'],
    ['logo', WEBP, 'image/webp'],
    ['logo.txt', Buffer.from(SVG), 'image/svg+xml'],
  ])('reads %s, whatever its name', (name, content, type) => {
    const path = file(name, content);
    expect(load({ BRAND_LOGO: path, BRAND_LOGO_DARK: path })).toMatchObject({
      BRAND_LOGO: { type, content },
      BRAND_LOGO_DARK: { type, content },
    });
  });

  it.each([
    ['is not a PNG, WebP or SVG file', () => file('page.svg', '<html><svg/></html>')],
    ['is not a PNG, WebP or SVG file', () => file('photo.jpg', Buffer.from('ffd8ffe0', 'hex'))],
    ['is larger than 256 kB', () => file('large.png', Buffer.concat([PNG, Buffer.alloc(256 * 1024)]))],
    ['is not a file', () => folder],
    ['cannot be read (ENOENT)', () => join(folder, 'none.png')],
  ])('rejects a logo that %s', (fault, path) => {
    expect(faults({ BRAND_LOGO: path() })).toEqual([expect.stringContaining(`BRAND_LOGO ${fault}`)]);
    expect(faults({ BRAND_LOGO_DARK: path() })).toEqual([expect.stringContaining(`BRAND_LOGO_DARK ${fault}`)]);
  });

  it('accepts a logo of exactly 256 kB', () => {
    const path = file('full.png', Buffer.concat([PNG, Buffer.alloc(256 * 1024 - PNG.length)]));
    expect(faults({ BRAND_LOGO: path })).toEqual([]);
  });
});
