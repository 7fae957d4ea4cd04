import type { LoginResponse } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';
import { useSession } from '../session.ts';

/** Runs after a new sign-in of the user who is already signed in: the new session replaces the old one. */
export function useSignInAgain(onDone: () => void): (answer: LoginResponse) => Promise<void> {
  const { user } = useSession();
  return async (answer) => {
    // MFA was turned on in another session in the meantime. The repeated request asks for the second factor.
    if (answer.status !== 'success') return onDone();
    // The step-up has succeeded even if the old session cannot be ended.
    await client.session.end(user.session_family_id).catch(() => undefined);
    onDone();
  };
}
