import type { CookieJar } from '../cookie-jar.ts';
import { bearer, isToken } from './access.ts';
import type { CredentialStore } from './store.ts';

/** In a program: the session is in a jar of its own. What a call shows is a Bearer token; the refresh token goes with it where the service asks. */
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
    seen: current,
    show: (write, as, user) => ({
      ...(as !== 'none' && bearer(current(), write, user)),
      // A sign-in looks for a browser that is trusted, a sign-out for the refresh token.
      ...cookies('service_rt', 'service_trust'),
    }),
    keep: (answer) => jar.take(answer.headers.getSetCookie()),
    forget: () => jar.empty(),
    accessToken: current,
    runExclusive: jar.runExclusive,
    renewal: {
      isPossible: () => jar.get('service_rt') !== undefined,
      headers: () => cookies('service_rt'),
      // Somebody else has a copy of the jar: nothing that they got is in this one.
      outrun: async () => 'over',
    },
    init: { redirect: 'error' },
  };
}

/** An access token that somebody else has got: it cannot be renewed here. */
export function accessTokenStore(token: string): CredentialStore {
  if (!isToken(token)) throw new TypeError('access_token: is not a token');
  return {
    seen: () => token,
    show: (write, as, user) => (as === 'none' ? {} : bearer(token, write, user)),
    keep: () => {},
    forget: () => {},
    accessToken: () => token,
    runExclusive: (work) => work(new AbortController().signal),
    init: { redirect: 'error' },
  };
}
