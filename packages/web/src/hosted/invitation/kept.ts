import { keepToken, takeToken } from '../token.ts';

const KEY = 'gatehouse-invitation';
/** Enough for a sign-in; whoever uses the tab later must not find it. */
const KEPT_FOR = 15 * 60_000;

interface Stowed {
  readonly token: string;
  readonly at: number;
}

/** For the way to the sign-in page and back, in this tab: an address of ours must not carry it. */
export function stowToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ token, at: Date.now() } satisfies Stowed));
  } catch {
    // Without it, the page they come back to asks for the link in the mail.
  }
}

/** Also when somebody signs out. */
export function takeStowed(): string | undefined {
  try {
    const stowed = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Stowed | null;
    sessionStorage.removeItem(KEY);
    return stowed !== null && Date.now() - stowed.at < KEPT_FOR ? stowed.token : undefined;
  } catch {
    return undefined;
  }
}

/** Of the mailed link, or what was kept on the way to the sign-in page. */
export function takeInvitationToken(): string | undefined {
  const token = takeToken();
  const stowed = takeStowed();
  if (token !== undefined || stowed === undefined) return token;
  keepToken(stowed);
  return stowed;
}
