import type { OAuthFailure } from '@gatehouse/contract';
import type { Config } from '../platform/config/settings.ts';

type Settings = Pick<Config, 'PUBLIC_BASE_URL' | 'REDIRECT_ORIGINS'>;

const HOME = '/';
/** Pages of the web app where a sign-in can end. */
const SIGN_IN_PAGE = '/sign-in';
const MFA_PAGE = '/sign-in/mfa';
const SECOND_FACTOR_PAGE = '/second-factor';
/** Characters, also of the encoded form, which is up to nine times longer: the OAuth state contains the target. */
const MAX_LENGTH = 1024;

/** docs/reference/http.md#pages: a local path or a URL on a listed origin; `/` for anything else or a longer one. */
export function safeRedirect(settings: Settings, given: unknown): string {
  const target = targetOf(settings, given);
  return target.length > MAX_LENGTH ? HOME : target;
}

/** Rejects `\` because browsers read it as `/`. */
function targetOf({ PUBLIC_BASE_URL, REDIRECT_ORIGINS }: Settings, given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !given.isWellFormed()) return HOME;
  if (/[\p{Cc}\p{Z}\\]/u.test(given)) return HOME;
  const isPath = given.startsWith('/') && !given.startsWith('//');
  const url = URL.canParse(given, PUBLIC_BASE_URL) ? new URL(given, PUBLIC_BASE_URL) : undefined;
  if (url?.username !== '' || url.password !== '') return HOME;
  // A leading `//` would be read as another host when the path is resolved again.
  if (isPath) return url.origin === PUBLIC_BASE_URL && !url.pathname.startsWith('//') ? pathOf(url) : HOME;
  return /^https?:\/\/[^/]/i.test(given) && REDIRECT_ORIGINS.includes(url.origin) ? url.href : HOME;
}

const pathOf = ({ pathname, search, hash }: URL): string => pathname + search + hash;

const onward = (redirect_to: string): Record<string, string> => (redirect_to === HOME ? {} : { redirect_to });

export const failurePage = (failure: OAuthFailure, redirect_to: string): string =>
  `${SIGN_IN_PAGE}?${new URLSearchParams({ error: failure, ...onward(redirect_to) })}`;

/** The token is in the fragment, which is not sent to servers and not logged. */
export const mfaPage = (mfa_token: string, redirect_to: string): string =>
  `${MFA_PAGE}#${new URLSearchParams({ mfa_token, ...onward(redirect_to) })}`;

/** The page for a new session without the second factor that its organization requires. */
export const secondFactorPage = (redirect_to: string): string => {
  const query = new URLSearchParams(onward(redirect_to)).toString();
  return query === '' ? SECOND_FACTOR_PAGE : `${SECOND_FACTOR_PAGE}?${query}`;
};
