import type { LoginResponse } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';
import { reloadSession, useSession } from '../session.ts';

/** What follows a sign-in by somebody who is signed in already: the new session takes the place of the one before, in the same organization. */
export function useSignInAgain(onDone: () => void): (answer: LoginResponse) => Promise<void> {
  const { user } = useSession();
  return async (answer) => {
    // A second factor was turned on elsewhere meanwhile. Once that is known here, it is what is asked for.
    if (answer.status !== 'success') return reloadSession();
    if (answer.user.organization_id !== user.organization_id)
      await client.session.switchOrganization(user.organization_id);
    // The proof is given, whether or not the old session could be ended.
    await client.session.end(user.session_family_id).catch(() => undefined);
    onDone();
  };
}
