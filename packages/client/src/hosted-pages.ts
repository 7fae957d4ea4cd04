import { originOf } from './path.ts';

/**
 * URLs of the hosted pages, at the origin of the API. `redirect_to` is a path on that origin, or a URL on an origin in
 * REDIRECT_ORIGINS.
 */
export function hostedPages(base: string) {
  const origin = originOf(base);
  const page = (path: string) => (redirect_to?: string) =>
    `${origin}${path}${redirect_to === undefined ? '' : `?${new URLSearchParams({ redirect_to })}`}`;
  return {
    /** Signs the user in with any configured method, then redirects to `redirect_to`. */
    signIn: page('/sign-in'),
    /** Registers an organization and its owner, then redirects to `redirect_to`, signed in. */
    register: page('/register'),
    /** Profile, password, second factor, passkeys, sessions. */
    account: () => `${origin}/account`,
    /** Members and invitations of the organization of the session. */
    members: () => `${origin}/organization/members`,
  };
}
