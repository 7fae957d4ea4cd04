import type { SessionUser } from '@gatehouse/contract';
import { safeRedirect } from '../ui/redirect.ts';
import { settings } from '../ui/settings.ts';

export const ACCOUNT = '/account';

/** Returns where a sign-in leads: `redirect_to` of the URL if it is allowed, otherwise the account pages. */
export function readTarget(given: URLSearchParams): string {
  const goal = safeRedirect(given.get('redirect_to'), location.origin, settings.redirect_origins);
  return goal === '/' ? ACCOUNT : goal;
}

/** Returns a URL of a hosted page that passes the target on. */
export const leadingTo = (target: string, address: string): string =>
  target === ACCOUNT ? address : `${address}?${new URLSearchParams({ redirect_to: target })}`;

/** Returns where a signed-in user goes: first to the second factor, if the organization requires one. */
export const onwardTo = (target: string, { extensions }: SessionUser): string =>
  extensions.restricted === undefined ? target : leadingTo(target, '/second-factor');

/** Leaves the page. The promise never settles, so that the button stays busy until the next page is shown. */
export function leaveFor(address: string): Promise<never> {
  location.replace(address);
  return new Promise(() => {});
}
