import { randomBytes } from 'node:crypto';
import { type Entry, PAGES, type Settings } from '@gatehouse/web';
import { noSuchRoute } from '../../http/errors.ts';
import { open } from '../../http/guards.ts';
import { webPolicy } from '../../http/headers.ts';
import { type Feature, type Route, route } from '../../http/route.ts';
import type { Config } from '../../platform/config/settings.ts';
import { openWebFiles, type WebFiles } from './files.ts';

const settingsOf = (config: Config): Settings => ({
  api: config.ROUTE_PREFIX,
  development: config.NODE_ENV !== 'production',
  redirect_origins: config.REDIRECT_ORIGINS,
  default_locale: config.DEFAULT_LOCALE,
});

/** A page is a small document that loads its data from the API. `no-referrer`, because its URL may contain a token. */
const page = (files: WebFiles, path: string, entry: Entry): Route =>
  route({
    method: 'GET',
    path,
    atBase: true,
    access: [open],
    summary: 'A page of the web app',
    responses: { 200: null },
    produces: 'text/html',
    handler: ({ deps: { config }, reply }) => {
      const nonce = randomBytes(16).toString('base64url');
      return reply
        .header('content-security-policy', webPolicy(nonce))
        .header('referrer-policy', 'no-referrer')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'publickey-credentials-get=(self), publickey-credentials-create=(self)')
        .type('text/html; charset=utf-8')
        .send(files.document(entry, settingsOf(config), nonce));
    },
  });

/** Immutable: every name contains the hash of the content. */
const asset = (files: WebFiles): Route =>
  route({
    method: 'GET',
    path: '/assets/:file',
    atBase: true,
    access: [open],
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

const files = openWebFiles();

export const web: Feature = {
  name: 'Web',
  routes: [...Object.entries(PAGES).map(([path, entry]) => page(files, path, entry)), asset(files)],
};
