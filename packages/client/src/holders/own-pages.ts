import { browserGlobals } from './browser-globals.ts';
import type { Holder } from './holder.ts';
import { createTabTurns, pause } from './turns.ts';

/** How long the answer to whoever was faster may still be on its way. */
const PATIENCE = 2_000;
const STEP = 50;

/** The cookie that pages may read. It ends together with the access token, so its absence says that a refresh is due. */
function csrfToken(): string | undefined {
  const pairs = browserGlobals.document?.cookie.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith('service_csrf='))?.slice('service_csrf='.length) || undefined;
}

/** On the service's own host name: the session is in cookies that no script can read, and writes repeat the CSRF cookie. */
export function ownPagesHolder(): Holder {
  const isNewer = (seen: string | undefined): boolean => csrfToken() !== undefined && csrfToken() !== seen;
  return {
    seen: csrfToken,
    show: (write, as, person) => {
      const csrf = csrfToken();
      return {
        ...(write && csrf !== undefined && { 'x-service-csrf': csrf }),
        // Cookies are the browser's: another window may have changed who is signed in. The service compares.
        ...(write && as !== 'none' && person !== undefined && { 'x-service-user': person.user_id }),
      };
    },
    keep: () => {},
    forget: () => {},
    inTurn: createTabTurns(),
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      // Who was a moment faster has left us their cookies by now, or will have.
      outrun: async (seen) => {
        for (let waited = 0; waited < PATIENCE && !isNewer(seen); waited += STEP) await pause(STEP);
        return isNewer(seen) ? 'renewed' : 'outrun';
      },
    },
    init: { credentials: 'include', redirect: 'error' },
  };
}
