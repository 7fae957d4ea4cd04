import type { OAuthProvider } from '@gatehouse/contract';
import { callbackUrl } from '../../domain/providers/callback-url.ts';
import type { Config } from '../../platform/config/settings.ts';

/** All that a callback looks at. */
const FIELDS = ['state', 'code', 'error', 'iss', 'user'];
/** Some browsers, proxies and servers take no more. */
const MAX_QUERY = 8000;

/**
 * Apple posts a form from its own site, so our Lax cookie does not come with it. The same fields once more by GET, as if they
 * had come so; what would be too long to be one of ours is left out.
 */
export function asQuery(config: Config, provider: OAuthProvider, form: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const value = form.get(name);
    if (value === undefined) continue;
    query.set(name, value);
    if (query.toString().length > MAX_QUERY) query.delete(name);
  }
  return `${new URL(callbackUrl(config, provider)).pathname}?${query}`;
}
