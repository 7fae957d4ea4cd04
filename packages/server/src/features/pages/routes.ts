import { randomBytes } from 'node:crypto';
import { type Entry, PAGES, type Settings } from '@gatehouse/web';
import { brandOf, DARK_LOGO_PATH, LOGO_PATH } from '../../http/brand.ts';
import { readCookie } from '../../http/cookies.ts';
import { noSuchRoute } from '../../http/errors.ts';
import { sendTagged, tagOf } from '../../http/etag.ts';
import { IMAGE_POLICY, webPolicy } from '../../http/headers.ts';
import { acceptedLanguage, accountLanguage } from '../../http/language.ts';
import { type Feature, type Route, route } from '../../http/route.ts';
import type { Config } from '../../platform/config/settings.ts';
import { openWebFiles, type WebFiles } from './files.ts';

const settingsOf = (config: Config, account_language: Settings['account_language']): Settings => ({
  api: config.ROUTE_PREFIX,
  development: config.NODE_ENV !== 'production',
  redirect_origins: config.REDIRECT_ORIGINS,
  default_locale: config.DEFAULT_LOCALE,
  account_language,
  brand: brandOf(config),
  password_min_strength: config.PASSWORD_MIN_STRENGTH,
});

/** A page is a small document that loads its data from the API. `no-referrer`, because its URL may contain a token. */
const page = (files: WebFiles, path: string, entry: Entry): Route =>
  route({
    method: 'GET',
    path,
    atBase: true,
    admits: ['anyone'],
    summary: 'A page of the web app',
    responses: { 200: null },
    produces: 'text/html',
    handler: async ({ deps, request, reply }) => {
      const ofAccount = await accountLanguage(request, deps);
      const language = ofAccount ?? acceptedLanguage(request, deps);
      const settings = settingsOf(deps.config, ofAccount ?? null);
      const hasCsrfCookie = readCookie(request.headers.cookie, 'service_csrf') !== undefined;
      const nonce = randomBytes(16).toString('base64url');
      return reply
        .header('content-security-policy', webPolicy(nonce))
        .header('referrer-policy', 'no-referrer')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'publickey-credentials-get=(self), publickey-credentials-create=(self)')
        .type('text/html; charset=utf-8')
        .send(files.document(entry, { settings, language, nonce, path, hasCsrfCookie }));
    },
  });

/** Immutable: every name contains the hash of the content. */
const asset = (files: WebFiles): Route =>
  route({
    method: 'GET',
    path: '/assets/:file',
    atBase: true,
    admits: ['anyone'],
    summary: 'A script or style sheet of the web app',
    responses: { 200: null },
    produces: 'text/javascript',
    errors: ['not_found'],
    handler: ({ request, reply }) => {
      const { file } = request.params as { file: string };
      const found = files.asset(file, request.headers['accept-encoding']?.toString() ?? '');
      if (!found) throw noSuchRoute();
      if (found.encoding) reply.header('content-encoding', found.encoding);
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding')
        .header('cross-origin-resource-policy', 'same-origin')
        .type(found.type)
        .send(found.content);
    },
  });

/** The operator's logo. Its URL stays the same when it is replaced, so browsers ask again after five minutes. */
const logo = (path: string, setting: 'BRAND_LOGO' | 'BRAND_LOGO_DARK'): Route =>
  route({
    method: 'GET',
    path,
    atBase: true,
    admits: ['anyone'],
    summary: 'The logo of the operator',
    responses: { 200: null, 304: null },
    produces: 'image/svg+xml',
    errors: ['not_found'],
    handler: ({ deps: { config }, request, reply }) => {
      const found = config[setting];
      if (!found) throw noSuchRoute();
      reply.header('content-security-policy', IMAGE_POLICY).header('cross-origin-resource-policy', 'same-site');
      const { content, type } = found;
      return sendTagged({ request, reply }, { body: content, etag: tagOf(content), cacheControl: LOGO_CACHE, type });
    },
  });

const LOGO_CACHE = 'public, max-age=300';

/** `target` computes the location from the URL of the request; a fixed location drops the query. */
const redirect = (path: string, status: 302 | 308, target: (url: string) => string): Route =>
  route({
    method: 'GET',
    path,
    atBase: true,
    admits: ['anyone'],
    summary: 'Redirect to a page',
    responses: { [status]: null },
    produces: 'text/html',
    handler: ({ request, reply }) => reply.redirect(target(request.url), status),
  });

/** Removes scheme and host, which a client may send, so that a redirect never leads to another host. */
const originForm = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?]*/i, '');

const queryOf = (url: string): string => /\?.*$/s.exec(url)?.[0] ?? '';

/** docs/reference/http.md#pages: redirects of trailing slashes and of usual paths such as `/login`. */
const REDIRECTS: readonly Route[] = [
  ...[...Object.keys(PAGES), '/docs', '/dev/mail']
    .filter((path) => path !== '/')
    .map((path) => redirect(`${path}/`, 308, (url) => originForm(url).replace(/\/(?=\?|$)/, ''))),
  ...['/login', '/signin'].map((path) => redirect(path, 302, (url) => `/sign-in${queryOf(url)}`)),
  redirect('/.well-known/change-password', 302, () => '/account/security'),
];

const files = openWebFiles();

export const web: Feature = {
  name: 'Web',
  routes: [
    ...Object.entries(PAGES).map(([path, entry]) => page(files, path, entry)),
    asset(files),
    logo(LOGO_PATH, 'BRAND_LOGO'),
    logo(DARK_LOGO_PATH, 'BRAND_LOGO_DARK'),
    ...REDIRECTS,
  ],
};
