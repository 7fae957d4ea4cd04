interface Kept {
  readonly token?: string;
}

/**
 * Returns the token of a mailed link. Moves it from the URL, and so from every Referer, to the state of the history
 * entry, which survives a reload. The link in the browser's history is harmless once the token is used.
 */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.search).get('token');
  if (given !== null) keepToken(given);
  return (history.state as Kept | null)?.token;
}

export const keepToken = (token: string): void => history.replaceState({ token } satisfies Kept, '', location.pathname);

/** Removes the token once it is used or invalid. */
export const forgetToken = (): void => history.replaceState(null, '', location.pathname);
