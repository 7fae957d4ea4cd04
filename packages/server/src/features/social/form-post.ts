import type { OAuthProvider } from '@gatehouse/contract';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import type { Config } from '../../platform/config/settings.ts';

/** The parameters that the callback reads. */
const FIELDS = ['state', 'code', 'error', 'iss', 'user'];
/** Some browsers, proxies and servers limit the length of a URL. */
const MAX_QUERY_CHARS = 8000;

/**
 * Apple posts a form from its own site, without the service's SameSite=Lax cookie. Redirects to a GET with the same
 * fields; a field that is too long to be valid is dropped.
 */
export function asQuery(config: Config, provider: OAuthProvider, form: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const value = form.get(name);
    if (value === undefined) continue;
    query.set(name, value);
    if (query.toString().length > MAX_QUERY_CHARS) query.delete(name);
  }
  return `${new URL(callbackUrl(config, provider)).pathname}?${query}`;
}
