import type { Deps } from '../context.ts';
import { type SsoCause, SsoProviderError } from './provider-error.ts';

/** The first match decides. An error page may quote the request, so error codes come before words. */
const SIGNS: readonly (readonly [RegExp, SsoCause])[] = [
  [/invalid_redirect_uri|redirect_uri_mismatch|AADSTS50011/, 'redirect_uri'],
  [/invalid_client|unauthorized_client|AADSTS700016/, 'client'],
  [/redirect[ _-]?ur[il]|callback url/i, 'redirect_uri'],
];

/**
 * Finds a client or redirect URI that the provider does not know. The provider shows such an error on its own page and
 * does not redirect to the callback, so the service requests this page and searches it for known error codes and words.
 * Returns undefined if none is found or the request fails.
 */
export async function probeAuthorization(
  { sso }: Pick<Deps, 'sso'>,
  authorization_url: string,
): Promise<SsoCause | undefined> {
  const url = new URL(authorization_url);
  url.searchParams.set('prompt', 'none');
  // The callback rejects these values, so a code that the provider issues for this request cannot be used.
  url.searchParams.set('state', 'test');
  url.searchParams.set('nonce', 'test');
  try {
    const { status, text } = await sso.page(url.href);
    const isError = status >= 400 || /AADSTS\d/.test(text);
    return isError ? SIGNS.find(([sign]) => sign.test(text))?.[1] : undefined;
  } catch (error) {
    if (error instanceof SsoProviderError) return undefined;
    throw error;
  }
}
