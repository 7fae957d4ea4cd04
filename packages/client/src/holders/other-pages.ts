import { type Access, accessIn, bearer, tokenOf } from './access.ts';
import { amongTabs, type Holder, pause } from './holder.ts';

/** How long the answer to whoever was faster may be on its way. */
const PATIENCE = 500;

/**
 * On another host name of the same site: the refresh token is in a cookie of the service, which the browser sends along; the access token is in
 * the memory of the page and goes out as Bearer.
 */
export function otherPagesHolder(): Holder {
  let access: Access | undefined;
  const current = () => tokenOf(access);
  return {
    seen: current,
    show: (write, as, person) => (as === 'none' ? {} : bearer(current(), write, person)),
    keep: (_answer, body) => {
      access = accessIn(body) ?? access;
    },
    forget: () => {
      access = undefined;
    },
    accessToken: current,
    renewal: {
      isPossible: () => true,
      headers: () => ({}),
      inTurn: amongTabs,
      // A page of another host name may have been first: the browser has the newer cookie by now.
      outrun: async (_seen, ask) => {
        await pause(PATIENCE);
        return ask();
      },
    },
    init: { credentials: 'include' },
  };
}
