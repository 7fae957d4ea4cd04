interface Kept {
  readonly token?: string;
}

/**
 * The token of a mailed link. It leaves the address bar and every Referer at once, and is kept with this entry of the history, where a
 * reload finds it. What the browser itself remembers of the link is harmless when the token is used up.
 */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.search).get('token');
  if (given !== null) keepToken(given);
  return (history.state as Kept | null)?.token;
}

export const keepToken = (token: string): void => history.replaceState({ token } satisfies Kept, '', location.pathname);

/** It is of no more use. */
export const forgetToken = (): void => history.replaceState(null, '', location.pathname);
