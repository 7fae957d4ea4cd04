import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  accentStyle,
  type Entry,
  html,
  iconLinks,
  noscript,
  PLACES,
  type PlainLanguage,
  type Preloads,
  type Settings,
} from '@gatehouse/web';
import { acceptsEncoding } from '../../http/accept.ts';

interface Asset {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: 'br' | 'gzip' | undefined;
}

interface PageDetails {
  readonly settings: Settings;
  readonly language: PlainLanguage;
  readonly nonce: string;
  readonly path: string;
  /** Whether the request has the CSRF cookie, which expires with the access token. */
  readonly hasCsrfCookie: boolean;
}

export interface WebFiles {
  document(entry: Entry, page: PageDetails): string;
  asset(name: string, accepted: string): Asset | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** The build stores compressed copies beside each file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Only names of this form become part of a path. */
const NAME = /^[\w-]+(?:\.[\w-]+)*\.(js|css)$/;

const buildFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@gatehouse/web/package.json')), 'dist');

/** Opens the build folder. Assets are small and have their hash in the name, so each is cached once requested. */
export function openWebFiles(folder = buildFolder()): WebFiles {
  const cache = new Map<string, Buffer>();
  const find = (name: string): Buffer | undefined => {
    const content = cache.get(name) ?? readIfThere(join(folder, 'assets', name));
    if (content) cache.set(name, content);
    return content;
  };
  return {
    document(entry, page) {
      const { settings, language, nonce } = page;
      const { brand } = settings;
      const preloads = JSON.parse(readFileSync(join(folder, 'preload.json'), 'utf8')) as Preloads;
      const values: Record<string, string> = {
        [PLACES.settings]: escapeHtml(JSON.stringify(settings)),
        [PLACES.nonce]: nonce,
        [PLACES.language]: language,
        [PLACES.name]: escapeHtml(brand.name),
        [PLACES.brand]: iconLinks(brand).markup + accentStyle(brand, nonce).markup,
        [PLACES.noscript]: noscript(brand, language).markup,
        [PLACES.preload]: preloadLinks(preloads[entry], page, firstRequestsOf(entry, page)),
      };
      // Replaces all placeholders in one pass, because a value may contain the text of a placeholder.
      return readFileSync(join(folder, `${entry}.html`), 'utf8').replace(PLACE, (place) => values[place]!);
    },
    asset(name, accepted) {
      const type = TYPES[NAME.exec(name)?.[1] ?? ''];
      if (type === undefined) return undefined;
      for (const [encoding, ending] of ENCODINGS) {
        const content = acceptsEncoding(accepted, encoding) ? find(name + ending) : undefined;
        if (content) return { content, type, encoding };
      }
      const content = find(name);
      return content && { content, type, encoding: undefined };
    },
  };
}

/** Hosted pages whose first request is always `GET /auth/providers`. */
const WITH_PROVIDERS: ReadonlySet<string> = new Set(['/', '/sign-in', '/register']);

/** Returns what the page first reads from the API. Without a session, the requests of the app would fail. */
function firstRequestsOf(entry: Entry, { path, hasCsrfCookie }: PageDetails): readonly string[] {
  if (entry === 'app') return hasCsrfCookie ? ['/auth/session', '/users/me'] : [];
  return WITH_PROVIDERS.has(path) ? ['/auth/providers'] : [];
}

function preloadLinks(
  pages: Preloads[Entry],
  { path, language, settings }: PageDetails,
  requests: readonly string[],
): string {
  const area = /^\/[^/]*/.exec(path)![0];
  const { all, [language]: texts } = (pages[path] ?? pages[area])!;
  const files = [...all, ...texts];
  return [
    ...files.map((file) =>
      file.endsWith('.css')
        ? `<link rel="preload" as="style" crossorigin href="/assets/${file}">`
        : `<link rel="modulepreload" crossorigin href="/assets/${file}">`,
    ),
    ...requests.map(
      (request) =>
        `<link rel="preload" as="fetch" crossorigin="use-credentials" href="${escapeHtml(settings.api + request)}">`,
    ),
  ].join('');
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const escapeHtml = (text: string): string => html`${text}`.markup;

const PLACE = new RegExp(
  Object.values(PLACES)
    .map((place) => place.replace(/[{}]/g, '\\$&'))
    .join('|'),
  'g',
);
