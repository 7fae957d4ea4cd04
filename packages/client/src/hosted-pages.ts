import { originOf } from './path.ts';

/** The pages that every Gatehouse has, at the origin of its API. `redirect_to` is a path there, or an address on an origin in REDIRECT_ORIGINS. */
export function hostedPages(base: string) {
  const origin = originOf(base);
  const page = (path: string) => (redirect_to?: string) =>
    `${origin}${path}${redirect_to === undefined ? '' : `?${new URLSearchParams({ redirect_to })}`}`;
  return {
    /** Signs in, by whatever this service offers, and comes back. */
    signIn: page('/sign-in'),
    /** Makes an organization and its owner, and comes back signed in. */
    register: page('/register'),
    /** Profile, password, second factor, passkeys, sessions. */
    account: () => `${origin}/account`,
    /** Members and invitations of the organization of the session. */
    members: () => `${origin}/organization/members`,
  };
}
