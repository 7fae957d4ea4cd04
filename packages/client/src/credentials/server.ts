import type { CookieJar } from '../cookie-jar.ts';
import { bearer, isToken } from './access.ts';
import type { CredentialStore } from './store.ts';

/**
 * For programs: the session is in a cookie jar. Calls send the access token as Bearer and the other tokens as cookies.
 */
export function cookieJarStore(jar: CookieJar, base: string): CredentialStore {
  jar.claim(base);
  const cookies = (...names: string[]): Record<string, string> => {
    const pairs = names.flatMap((name) => {
      const value = jar.get(name);
      return value === undefined ? [] : [`${name}=${value}`];
    });
    return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
  };
  const current = () => jar.get('service_at');
  return {
    version: current,
    headersFor: (write, as, user) => ({
      ...(as !== 'none' && bearer(current(), write, user)),
      // The service reads `service_trust` at sign-in and `service_rt` at sign-out.
      ...cookies('service_rt', 'service_trust'),
    }),
    store: (answer) => jar.take(answer.headers.getSetCookie()),
    clear: () => jar.empty(),
    accessToken: current,
    runExclusive: jar.runExclusive,
    renewal: {
      isPossible: () => jar.get('service_rt') !== undefined,
      headers: () => cookies('service_rt'),
      // Another process with a copy of this jar has refreshed first: its new tokens are not in this jar.
      superseded: async () => 'over',
    },
    init: { redirect: 'error' },
  };
}

/** For an access token that the program received from its caller: it cannot be renewed here. */
export function accessTokenStore(token: string): CredentialStore {
  if (!isToken(token)) throw new TypeError('access_token: must be the token alone, without "Bearer"');
  return {
    version: () => token,
    headersFor: (write, as, user) => (as === 'none' ? {} : bearer(token, write, user)),
    store: () => {},
    clear: () => {},
    accessToken: () => token,
    runExclusive: (work) => work(new AbortController().signal),
    init: { redirect: 'error' },
  };
}
