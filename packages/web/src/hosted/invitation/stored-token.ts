import { keepToken, takeToken } from '../token.ts';

const KEY = 'gatehouse-invitation';
/** Long enough for a sign-in. A later user of the tab must not find the token. */
const MAX_AGE_MS = 15 * 60_000;

interface Stored {
  readonly token: string;
  readonly at: number;
}

/** Stores the token in this tab while the user signs in, so that it is not in the URL of another page. */
export function storeToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ token, at: Date.now() } satisfies Stored));
  } catch {
    // Without storage, the user has to open the mailed link again after sign-in.
  }
}

/** Removes and returns the stored token. Also called at sign-out. */
export function takeStored(): string | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Stored | null;
    sessionStorage.removeItem(KEY);
    return stored !== null && Date.now() - stored.at < MAX_AGE_MS ? stored.token : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the token of the mailed link, or the one that was stored before the sign-in. */
export function takeInvitationToken(): string | undefined {
  const token = takeToken();
  const stored = takeStored();
  if (token !== undefined || stored === undefined) return token;
  keepToken(stored);
  return stored;
}
