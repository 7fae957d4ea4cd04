import type { User } from '@gatehouse/contract';
import { queries } from '../../app/query.ts';
import { useSession } from '../../app/session.ts';

/** Changes an account and reloads it. A user who ends their own session is signed out. */
export function useChange({ id }: User) {
  const isMe = useSession().user.user_id === id;
  const change = (work: () => Promise<unknown>, { endsSessions = false } = {}) => {
    return async () => {
      await work();
      if (isMe && endsSessions) location.assign('/signed-out');
      else await queries.invalidateQueries({ queryKey: ['users'] });
    };
  };
  return { isMe, change };
}
