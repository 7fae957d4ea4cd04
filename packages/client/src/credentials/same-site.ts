import { browserGlobals } from './browser-globals.ts';
import { createTabMutex, pause } from './mutex.ts';
import type { CredentialStore } from './store.ts';

/** How long to wait for the cookies of another tab that refreshed first. */
const OTHER_TAB_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 50;

/** The CSRF cookie, which scripts can read. It expires with the access token: if it is missing, a refresh is due. */
function csrfToken(): string | undefined {
  const pairs = browserGlobals.document?.cookie.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith('service_csrf='))?.slice('service_csrf='.length) || undefined;
}

/** For the service's own pages: the session is in cookies that scripts cannot read; writes repeat the CSRF cookie. */
export function sameSiteStore(): CredentialStore {
  const isNewer = (version: string | undefined): boolean => csrfToken() !== undefined && csrfToken() !== version;
  return {
    version: csrfToken,
    headersFor: (write, as, user) => {
      const csrf = csrfToken();
      return {
        ...(write && csrf !== undefined && { 'x-service-csrf': csrf }),
        // All windows share the cookies, so another window may have signed in another user. The service compares this
        // header with the session.
        ...(write && as !== 'none' && user !== undefined && { 'x-service-user': user.user_id }),
      };
    },
    store: () => {},
    clear: () => {},
    runExclusive: createTabMutex(),
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      // Another tab refreshed first: its cookies are in this browser, or will be in a moment.
      superseded: async (version) => {
        for (let waitedMs = 0; waitedMs < OTHER_TAB_TIMEOUT_MS && !isNewer(version); waitedMs += POLL_INTERVAL_MS) {
          await pause(POLL_INTERVAL_MS);
        }
        return isNewer(version) ? 'renewed' : 'superseded';
      },
    },
    init: { credentials: 'include', redirect: 'error' },
  };
}
