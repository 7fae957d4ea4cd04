import { type Access, accessIn, bearer, tokenOf } from './access.ts';
import { createTabMutex, pause } from './mutex.ts';
import type { CredentialStore } from './store.ts';

/** The answer to whoever was faster may still be on its way. Well below the ten seconds after which a second use is taken for theft. */
const PAUSES = [300, 700, 1_000];

/**
 * On another host name of the same site: the refresh token is in a cookie of the service, which the browser sends along; the access token is in
 * the memory of the page and goes out as Bearer.
 */
export function crossSiteStore(): CredentialStore {
  let access: Access | undefined;
  const current = () => tokenOf(access);
  return {
    seen: current,
    show: (write, as, user) => (as === 'none' ? {} : bearer(current(), write, user)),
    keep: (_answer, body) => {
      access = accessIn(body) ?? access;
    },
    forget: () => {
      access = undefined;
    },
    accessToken: current,
    runExclusive: createTabMutex(),
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      // A page of another host name may have been first: the browser has the newer cookie by now.
      outrun: async (_seen, ask) => {
        for (const milliseconds of PAUSES) {
          await pause(milliseconds);
          const outcome = await ask();
          if (outcome !== 'outrun') return outcome;
        }
        return 'outrun';
      },
    },
    init: { credentials: 'include', redirect: 'error' },
  };
}
