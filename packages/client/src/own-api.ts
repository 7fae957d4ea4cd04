import type { Transport } from './transport.ts';

/** Sends a request to the caller's own API. See `fetch` of `Client`. */
export type OwnApiFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

type AccessToken = (options?: { readonly refused?: string | undefined }) => Promise<string>;

/**
 * Returns whether the API rejected the token itself, so that a new one may be accepted: `WWW-Authenticate` then names
 * the error `invalid_token`, and another error if a second factor is required. A page on another origin than the API
 * cannot read the header unless the API exposes it; in that case the code in the body decides.
 */
async function isAboutToken(answer: Response): Promise<boolean> {
  if (answer.status !== 401) return false;
  const error = /\berror="?([a-z_]+)/i.exec(answer.headers.get('www-authenticate') ?? '')?.[1];
  if (error !== undefined) return error === 'invalid_token';
  const code = await codeIn(answer);
  return code === undefined || code === 'authentication_required';
}

/** Returns `error.code` of the body, which stays readable; undefined if there is none. */
const codeIn = async (answer: Response): Promise<unknown> => {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  return (body as { readonly error?: { readonly code?: unknown } } | null)?.error?.code;
};

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
    if (!isRepeatable(init) || !store.renewal || !(await isAboutToken(answer))) return answer;
    await answer.body?.cancel();
    return send(await accessToken({ refused: token }));
  };
}
