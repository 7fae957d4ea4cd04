import { vi } from 'vitest';
import { createClient } from './index.ts';

interface Asked {
  readonly method: string;
  /** Relative to the address of the API, with the query. */
  readonly path: string;
  readonly csrf: string | null;
  readonly authorization: string | null;
}

/**
 * Simulates a browser: tabs that share cookies, with or without Web Locks. If `alter` returns a response, the request
 * is not sent to the service. `page`: the address of the tabs if they are on another host name than the service, where
 * they cannot read its cookies.
 */
export function openBrowser(
  base: string,
  {
    locks = true,
    jar = new Map<string, string>(),
    page,
  }: { locks?: boolean; jar?: Map<string, string>; page?: string } = {},
) {
  const asked: Asked[] = [];
  const webLocks = createLocks();
  const state: { alter: (asked: Asked) => Response | Promise<Response> | undefined } = { alter: () => undefined };
  if (page) vi.stubGlobal('location', new URL(page));
  vi.stubGlobal('document', {
    get cookie() {
      if (page) return '';
      return ['theme=dark', ...(jar.has('service_csrf') ? [`service_csrf=${jar.get('service_csrf')}`] : [])].join('; ');
    },
  });
  vi.stubGlobal('navigator', locks ? { locks: webLocks } : {});

  const send: typeof fetch = async (address, init = {}) => {
    const headers = new Headers(init.headers);
    const method = init.method ?? 'GET';
    const request = {
      method,
      path: String(address).slice(base.length),
      csrf: headers.get('x-service-csrf'),
      authorization: headers.get('authorization'),
    };
    asked.push(request);
    const altered = state.alter(request);
    if (altered) return altered;
    headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(address, { ...init, headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (/max-age=0(;|$)/i.test(cookie)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return answer;
  };
  return {
    jar,
    asked,
    send,
    state,
    askedFor: (path: string) => asked.filter((request) => request.path === path),
    openTab: () => createClient({ base, fetch: send }),
    /** Removes the cookies that expire after 15 minutes. */
    endAccess: () => {
      jar.delete('service_at');
      jar.delete('service_csrf');
    },
  };
}

/** Web Locks: grants the lock to one request at a time. */
function createLocks() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request<T>(_name: string, _options: object, work: () => Promise<T>): Promise<T> {
      const result = last.then(work, work);
      last = result;
      return result;
    },
  };
}
