import { askForPasskey, type PasskeyCredential, supportsPasskeyAutofill } from '@gatehouse/client';
import { client } from '../../ui/client.ts';

/** Before the service's question ends, which it does after five minutes: it is asked anew. */
const RENEW = 4 * 60_000;

/** The browser asks for a passkey: for one of this account, or for any it has for us. */
export async function choosePasskey(email?: string): Promise<PasskeyCredential> {
  const { publicKey } = await client.signIn.beginPasskey(email);
  return askForPasskey(publicKey);
}

/** The browser offers passkeys where the email is typed, for as long as the page is open. Undefined: it does not, or not any more. */
export async function offerPasskeys(signal: AbortSignal): Promise<PasskeyCredential | undefined> {
  if (!(await supportsPasskeyAutofill())) return undefined;
  while (!signal.aborted) {
    const answer = await offerOnce(signal).catch(() => undefined);
    if (answer !== 'renew') return signal.aborted ? undefined : answer;
  }
  return undefined;
}

async function offerOnce(signal: AbortSignal): Promise<PasskeyCredential | 'renew'> {
  const { publicKey } = await client.with({ signal }).signIn.beginPasskey();
  const due = new AbortController();
  const end = () => due.abort();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, RENEW);
  try {
    return await askForPasskey(publicKey, { autofill: true, signal: due.signal });
  } catch (error) {
    if (due.signal.aborted) return 'renew';
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
