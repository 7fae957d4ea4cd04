import type { PasskeyCredential } from '@gatehouse/client';
import { useEffect, useRef } from 'react';
import { offerPasskeys } from './passkey.ts';

/** Passkeys among what the browser offers to fill in; taken back while another way is under way. */
export function useAutofill(isOffered: boolean, onChosen: (credential: PasskeyCredential) => void): void {
  const latest = useRef(onChosen);
  latest.current = onChosen;
  useEffect(() => {
    if (!isOffered) return;
    const controller = new AbortController();
    void offerPasskeys(controller.signal).then((credential) => {
      if (credential) latest.current(credential);
    });
    return () => controller.abort();
  }, [isOffered]);
}
