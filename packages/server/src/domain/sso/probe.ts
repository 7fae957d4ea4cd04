import type { Deps } from '../context.ts';
import { type SsoCause, SsoProviderError } from './provider-error.ts';

/** In order: an error page may quote the request, so codes that name the fault come first. */
const SIGNS: readonly (readonly [RegExp, SsoCause])[] = [
  [/invalid_redirect_uri|redirect_uri_mismatch|AADSTS50011/, 'redirect_uri'],
  [/invalid_client|unauthorized_client|AADSTS700016/, 'client'],
  [/redirect[ _-]?ur[il]|callback url/i, 'redirect_uri'],
];

/**
 * A provider that does not know the client or the redirect URI shows a page of its own and never sends the browser
 * back. So the page is opened here too, without a user, and searched for the words that providers use. Returns
 * undefined if nothing is wrong, or it cannot be told.
 */
export async function probeAuthorization(
  { sso }: Pick<Deps, 'sso'>,
  authorization_url: string,
): Promise<SsoCause | undefined> {
  const url = new URL(authorization_url);
  url.searchParams.set('prompt', 'none');
  // A code for this request could not be used.
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
