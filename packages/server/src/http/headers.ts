import type { Config } from '../platform/config/settings.ts';

/**
 * Headers of every response. The content security policy allows no sources, because JSON needs none; pages set their
 * own policy. `frame-ancestors` replaces X-Frame-Options.
 */
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

/** The policy of a server-rendered page: its own style sheet and, if it has one, its own script. */
export const pagePolicy = (styleHash: string, scriptHash?: string): string =>
  `default-src 'none'; style-src '${styleHash}';${scriptHash ? ` script-src '${scriptHash}';` : ''} img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** For a file that is shown as an image. A script in it never runs, even if a browser opens it as a document. */
export const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/**
 * The policy of the web app: scripts and styles from this origin, style elements of its scripts with the nonce of this
 * response, images from this origin or created in the page (QR codes, previews), and requests to this origin only.
 */
export const webPolicy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
