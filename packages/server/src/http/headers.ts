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
