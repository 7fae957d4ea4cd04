import { tabStorage } from '../../ui/tab-storage.ts';
import { keepToken, takeToken } from '../token.ts';

/** Long enough for a sign-in. A later user of the tab must not find the token. */
const stored = tabStorage<string>('gatehouse-invitation', 15 * 60_000);

/** Stores the token in this tab while the user signs in, so that it is not in the URL of another page. */
export const storeToken = stored.write;

/** Removes and returns the stored token. Also called at sign-out. */
export function takeStored(): string | undefined {
  const token = stored.read();
  stored.remove();
  return token;
}

export function takeInvitationToken(): string | undefined {
  const token = takeToken();
  const kept = takeStored();
  if (token !== undefined || kept === undefined) return token;
  keepToken(kept);
  return kept;
}
