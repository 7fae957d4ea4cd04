import type { CookieJar } from '../cookie-jar.ts';
import { bearer, isToken } from './access.ts';
import type { Holder } from './holder.ts';

/** In a program: the session is in a jar of its own. What a call shows is a Bearer token; the refresh token goes with it where the service asks. */
export function jarHolder(jar: CookieJar, base: string): Holder {
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
    show: (write, as, person) => ({
      ...(as !== 'none' && bearer(current(), write, person)),
      // A sign-in looks for a browser that is trusted, a sign-out for the refresh token.
      ...cookies('service_rt', 'service_trust'),
    }),
    keep: (answer) => jar.take(answer.headers.getSetCookie()),
    forget: () => jar.empty(),
    accessToken: current,
    inTurn: jar.inTurn,
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
export function tokenHolder(token: string): Holder {
  if (!isToken(token)) throw new TypeError('access_token: is not a token');
  return {
    seen: () => token,
    show: (write, as, person) => (as === 'none' ? {} : bearer(token, write, person)),
    keep: () => {},
    forget: () => {},
    accessToken: () => token,
    inTurn: (work) => work(new AbortController().signal),
    init: { redirect: 'error' },
  };
}
