import { type PasskeyCredential, supportsPasskeys } from '@gatehouse/client';
import type { LoginResponse, SignInOptions } from '@gatehouse/contract';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { choosePasskey } from './passkey.ts';

export const offersPasskeys = (options: SignInOptions | undefined): boolean =>
  options?.passkey === true && supportsPasskeys();

/** Signs in with the given passkey, or with one that the user chooses. A passkey counts as both factors. */
export const usePasskey = (emailOf: () => string | undefined, onAnswer: (answer: LoginResponse) => Promise<void>) =>
  useAction(async (chosen?: PasskeyCredential) => {
    const credential = chosen ?? (await choosePasskey(emailOf()));
    await onAnswer(await client.signIn.withPasskey(credential));
  });
