import type { Transport } from './transport.ts';

/** Sends a request to the caller's own API. See `fetch` of `Client`. */
export type OwnApiFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

type AccessToken = (options?: { readonly refused?: string | undefined }) => Promise<string>;

/**
 * Returns whether a new token may be accepted. A 401 that asks for a second factor names another error. A page on
 * another origin than the API does not see the header unless the API exposes it.
 */
function isAboutToken({ status, headers }: Response): boolean {
  if (status !== 401) return false;
  const error = /\berror="?([a-z_]+)/i.exec(headers.get('www-authenticate') ?? '')?.[1];
  return error === undefined || error === 'invalid_token';
}

/** A stream can be sent only once. */
const isRepeatable = ({ body }: RequestInit): boolean => !(body instanceof ReadableStream);

export function createOwnApiFetch({ fetch, store }: Transport, accessToken: AccessToken): OwnApiFetch {
  return async (address, init = {}) => {
    const send = (token: string): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(address, { ...init, headers });
    };
    const token = await accessToken();
    const answer = await send(token);
    if (!isAboutToken(answer) || !isRepeatable(init) || !store.renewal) return answer;
    await answer.body?.cancel();
    return send(await accessToken({ refused: token }));
  };
}
