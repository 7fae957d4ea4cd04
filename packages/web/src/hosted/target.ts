import { safeRedirect } from '../ui/redirect.ts';
import { settings } from '../ui/settings.ts';

export const ACCOUNT = '/account';

/** Where a sign-in leads: what the link to this page says, as far as it may be followed; otherwise the account. */
export function readTarget(given: URLSearchParams): string {
  const goal = safeRedirect(given.get('redirect_to'), location.origin, settings.redirect_origins);
  return goal === '/' ? ACCOUNT : goal;
}

/** An address of ours that leads on to there in the end. */
export const leadingTo = (target: string, address: string): string =>
  target === ACCOUNT ? address : `${address}?${new URLSearchParams({ redirect_to: target })}`;

/** The page ends here: the promise stays open, so that what is under way looks so until the next page is there. */
export function leaveFor(address: string): Promise<never> {
  location.replace(address);
  return new Promise(() => {});
}
