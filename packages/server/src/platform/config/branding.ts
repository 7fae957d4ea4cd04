import { readFileSync, statSync } from 'node:fs';
import { Fault, type Setting } from './kinds.ts';

export interface Logo {
  readonly type: 'image/png' | 'image/webp' | 'image/svg+xml';
  readonly content: Buffer;
}

const MAX_NAME_CHARS = 80;
const MAX_LOGO_BYTES = 256 * 1024;
const MIN_CONTRAST = 4.5;

/** One line that is safe in a title, a mail header and a label of an authenticator app. */
export const brandName = (doc: string): Setting<string> => ({
  doc,
  fallback: 'Gatehouse',
  parse: (value) => {
    if ([...value].length > MAX_NAME_CHARS) throw new Fault(`must have at most ${MAX_NAME_CHARS} characters`);
    if (!value.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u.test(value)) {
      throw new Fault('must be one line without control characters');
    }
    return value;
  },
});

/** The path of an image file. The kind is detected from the content, whatever the name of the file. */
export const logo = (doc: string): Setting<Logo | undefined> => ({
  doc,
  fallback: undefined,
  example: '`./brand/logo.svg`',
  parse: (path) => {
    const content = readLogo(path);
    const type = typeOf(content);
    if (!type) throw new Fault('is not a PNG, WebP or SVG file');
    return { type, content };
  },
});

function readLogo(path: string): Buffer {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new Fault('is not a file');
    if (found.size > MAX_LOGO_BYTES) throw new Fault(`is larger than ${MAX_LOGO_BYTES / 1024} kB`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Up to the root element only a prolog, comments and a document type are allowed. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:(?:<!--[\s\S]*?-->|<!DOCTYPE\s[^>[]*>)\s*)*<svg[\s>]/i;

function typeOf(content: Buffer): Logo['type'] | undefined {
  if (content.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  if (content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return SVG.test(content.toString('utf8')) ? 'image/svg+xml' : undefined;
}

/** A colour, returned in lower case. Buttons have white text on it, so the contrast is checked. */
export const brandColor = (doc: string): Setting<string | undefined> => ({
  doc,
  fallback: undefined,
  example: '`#1f5fd6`',
  parse: (value) => {
    if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Fault('must be a colour such as #1f5fd6');
    const contrast = 1.05 / (luminanceOf(value) + 0.05);
    if (contrast < MIN_CONTRAST) {
      throw new Fault(`is too light: white text on it has a contrast of ${floorTo2(contrast)}, below ${MIN_CONTRAST}`);
    }
    return value.toLowerCase();
  },
});

const floorTo2 = (value: number): number => Math.floor(value * 100) / 100;

/** The relative luminance of WCAG 2. */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

export const link = (doc: string): Setting<string | undefined> => ({
  doc,
  fallback: undefined,
  parse: (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw new Fault('must be a URL that begins with https:// or http://');
    if (url.username || url.password) throw new Fault('must not contain a user or a password: every visitor sees it');
    return url.href;
  },
});
