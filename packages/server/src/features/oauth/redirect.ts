import type { OAuthFailure } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';

type Settings = Pick<Config, 'PUBLIC_BASE_URL' | 'REDIRECT_ORIGINS'>;

const HOME = '/';
/** The pages of the web app that a sign-in can end at. */
const SIGN_IN_PAGE = '/sign-in';
const MFA_PAGE = '/sign-in/mfa';
/** As it goes out: what needs to be encoded grows up to ninefold, and a state has to carry it. */
const MAX_LENGTH = 1024;

/** The contract, section 5: a path here, or a URL on a listed origin; anything else, or one that is too long, is home. */
export function safeRedirect(settings: Settings, given: unknown): string {
  const goal = goalOf(settings, given);
  return goal.length > MAX_LENGTH ? HOME : goal;
}

/** Browsers read `\` as `/`. */
function goalOf({ PUBLIC_BASE_URL, REDIRECT_ORIGINS }: Settings, given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !given.isWellFormed()) return HOME;
  if (/[\p{Cc}\p{Z}\\]/u.test(given)) return HOME;
  const isPath = given.startsWith('/') && !given.startsWith('//');
  const url = URL.canParse(given, PUBLIC_BASE_URL) ? new URL(given, PUBLIC_BASE_URL) : undefined;
  if (url?.username !== '' || url.password !== '') return HOME;
  // Read once more by somebody else, `//` at the front is another host.
  if (isPath) return url.origin === PUBLIC_BASE_URL && !url.pathname.startsWith('//') ? pathOf(url) : HOME;
  return /^https?:\/\/[^/]/i.test(given) && REDIRECT_ORIGINS.includes(url.origin) ? url.href : HOME;
}

const pathOf = ({ pathname, search, hash }: URL): string => pathname + search + hash;

const onward = (redirect_to: string): Record<string, string> => (redirect_to === HOME ? {} : { redirect_to });

/** Back to where it began, with what went wrong, and where it was to lead. */
export const failurePage = (failure: OAuthFailure, redirect_to: string): string =>
  `${SIGN_IN_PAGE}?${new URLSearchParams({ error: failure, ...onward(redirect_to) })}`;

/** A fragment: it stays in the browser, and out of every log. */
export const mfaPage = (mfa_token: string, redirect_to: string): string =>
  `${MFA_PAGE}#${new URLSearchParams({ mfa_token, ...onward(redirect_to) })}`;
