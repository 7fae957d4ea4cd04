import type { LoginResponse } from '@gatehouse/contract';
import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { client } from '../../ui/client.ts';

/** Before the service's question ends, which it does after five minutes: it is asked anew. */
const RENEW = 4 * 60_000;

const begin = async (email?: string, signal?: AbortSignal): Promise<PublicKeyCredentialRequestOptionsJSON> => {
  const { publicKey } = await client.signIn.beginPasskey(email, signal);
  return publicKey as unknown as PublicKeyCredentialRequestOptionsJSON;
};

/** The browser asks for a passkey: for one of this account, or for any it has for us. */
export const askForPasskey = async (email?: string): Promise<AuthenticationResponseJSON> =>
  startAuthentication({ optionsJSON: await begin(email) });

export const signInBy = (credential: AuthenticationResponseJSON): Promise<LoginResponse> =>
  client.signIn.withPasskey(credential);

/** The browser offers passkeys where the email is typed, for as long as the page is open. Undefined: it does not, or not any more. */
export async function offerPasskeys(signal: AbortSignal): Promise<AuthenticationResponseJSON | undefined> {
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  while (!signal.aborted) {
    const answer = await offerOnce(signal).catch(() => undefined);
    if (answer !== 'renew') return signal.aborted ? undefined : answer;
  }
  return undefined;
}

async function offerOnce(signal: AbortSignal): Promise<AuthenticationResponseJSON | 'renew'> {
  const optionsJSON = await begin(undefined, signal);
  signal.throwIfAborted();
  let isDue = false;
  const timer = setTimeout(() => {
    isDue = true;
    WebAuthnAbortService.cancelCeremony();
  }, RENEW);
  try {
    return await startAuthentication({ optionsJSON, useBrowserAutofill: true });
  } catch (error) {
    if (isDue) return 'renew';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
