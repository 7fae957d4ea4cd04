import { askForPasskey, type PasskeyCredential, supportsPasskeyAutofill } from '@gatehouse/client';
import { client, signInWith } from '../client.ts';

/** The challenge expires after five minutes, so it is renewed before. */
const RENEW_AFTER_MS = 4 * 60_000;

/** Asks for a passkey of this account or, without an email, any passkey of the service. */
export async function choosePasskey(email?: string): Promise<PasskeyCredential> {
  const { publicKey } = await client.signIn.beginPasskey(email);
  return askForPasskey(publicKey);
}

/** Offers passkeys in the email field until one is chosen. Returns undefined if unsupported, failed or aborted. */
export async function offerPasskeys(signal: AbortSignal): Promise<PasskeyCredential | undefined> {
  if (!(await supportsPasskeyAutofill())) return undefined;
  while (!signal.aborted) {
    const answer = await offerOnce(signal).catch(() => undefined);
    if (answer !== 'renew') return signal.aborted ? undefined : answer;
  }
  return undefined;
}

async function offerOnce(signal: AbortSignal): Promise<PasskeyCredential | 'renew'> {
  const { publicKey } = await signInWith(signal).beginPasskey();
  const due = new AbortController();
  const end = () => due.abort();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, RENEW_AFTER_MS);
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
