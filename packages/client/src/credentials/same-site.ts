import { browserGlobals } from './browser-globals.ts';
import { createTabMutex, pause } from './mutex.ts';
import type { CredentialStore } from './store.ts';

/** How long the answer to whoever was faster may still be on its way. */
const OTHER_TAB_TIMEOUT_MS = 2_000;
const STEP = 50;

/** The cookie that pages may read. It ends together with the access token, so its absence says that a refresh is due. */
function csrfToken(): string | undefined {
  const pairs = browserGlobals.document?.cookie.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith('service_csrf='))?.slice('service_csrf='.length) || undefined;
}

/** On the service's own host name: the session is in cookies that no script can read, and writes repeat the CSRF cookie. */
export function sameSiteStore(): CredentialStore {
  const isNewer = (seen: string | undefined): boolean => csrfToken() !== undefined && csrfToken() !== seen;
  return {
    seen: csrfToken,
    show: (write, as, user) => {
      const csrf = csrfToken();
      return {
        ...(write && csrf !== undefined && { 'x-service-csrf': csrf }),
        // Cookies are the browser's: another window may have changed who is signed in. The service compares.
        ...(write && as !== 'none' && user !== undefined && { 'x-service-user': user.user_id }),
      };
    },
    keep: () => {},
    forget: () => {},
    runExclusive: createTabMutex(),
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      // Who was a moment faster has left us their cookies by now, or will have.
      outrun: async (seen) => {
        for (let waited = 0; waited < OTHER_TAB_TIMEOUT_MS && !isNewer(seen); waited += STEP) await pause(STEP);
        return isNewer(seen) ? 'renewed' : 'outrun';
      },
    },
    init: { credentials: 'include', redirect: 'error' },
  };
}
