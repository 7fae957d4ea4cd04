import type { ProfileChange, User } from '@gatehouse/contract';
import { createCall } from '../../../client/src/call.ts';
import { sessionCalls, trustedBrowserCalls } from '../../../client/src/calls/session.ts';
import { interactionCalls, signInCalls } from '../../../client/src/calls/sign-in.ts';
import { sameSiteStore } from '../../../client/src/credentials/same-site.ts';
import { createRefresh } from '../../../client/src/refresh.ts';
import { settings } from '../ui/settings.ts';

const transport = {
  base: settings.api,
  fetch: fetch.bind(globalThis),
  store: sameSiteStore(),
  user: () => undefined,
};
const refresh = createRefresh(transport);
const call = createCall(transport, refresh);

/** Only the calls of the SDK that the hosted pages need: all calls would double its size on the sign-in page. */
export const client = {
  signIn: signInCalls(call),
  interactions: interactionCalls(call),
  session: sessionCalls(call, async () => void (await refresh(transport.store.version()))),
  trustedBrowsers: trustedBrowserCalls(call),
  account: {
    update: (body: ProfileChange) => call<User>('PATCH', '/users/me', { body }),
  },
};

/** Returns the sign-in calls with requests that `signal` aborts. */
export const signInWith = (signal: AbortSignal) =>
  signInCalls((method, path, ask) => call(method, path, { signal, ...ask }));
