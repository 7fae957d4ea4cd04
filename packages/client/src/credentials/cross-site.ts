import { type Access, accessIn, bearer, tokenOf } from './access.ts';
import { createTabMutex, pause } from './mutex.ts';
import type { CredentialStore } from './store.ts';

/**
 * The delays between attempts while the refresh response of another page may still be in transit. Their sum is well
 * below the 10 seconds after which reuse of a refresh token counts as theft.
 */
const RETRY_DELAYS_MS = [300, 700, 1_000];

/**
 * For pages on another host name of the same site: the refresh token is in a cookie of the service, which the browser
 * sends; the access token is in the memory of the page and is sent as Bearer.
 */
export function crossSiteStore(): CredentialStore {
  let access: Access | undefined;
  const current = () => tokenOf(access);
  return {
    version: current,
    headersFor: (write, as, user) => (as === 'none' ? {} : bearer(current(), write, user)),
    store: (_answer, body) => {
      access = accessIn(body) ?? access;
    },
    clear: () => {
      access = undefined;
    },
    accessToken: current,
    runExclusive: createTabMutex(),
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      // A page on another host name may have refreshed first. Then the browser has the newer cookie by now.
      superseded: async (_version, ask) => {
        for (const milliseconds of RETRY_DELAYS_MS) {
          await pause(milliseconds);
          const outcome = await ask();
          if (outcome !== 'superseded') return outcome;
        }
        return 'superseded';
      },
    },
    init: { credentials: 'include', redirect: 'error' },
  };
}
