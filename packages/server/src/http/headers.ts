import type { Config } from '../platform/config/settings.ts';

/** On every answer. JSON needs no sources at all; a page sets a policy of its own. `frame-ancestors` says all of X-Frame-Options. */
export function baseHeaders(config: Config): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    ...(config.PUBLIC_BASE_URL.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000',
    }),
  };
}

/** A page of ours: its own styles, no script unless a nonce or hash is named. */
export const pagePolicy = (styleHash: string): string =>
  `default-src 'none'; style-src '${styleHash}'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/**
 * A page of the web app: scripts and styles from here, style elements made by its own scripts under the nonce of this answer, pictures from here or made in
 * the page (QR codes, previews), and calls to this origin alone.
 */
export const webPolicy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
