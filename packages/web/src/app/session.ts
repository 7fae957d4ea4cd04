import type { CurrentSession } from '@gatehouse/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { client } from '../ui/client.ts';
import { queries } from './query.ts';

/** Asked whenever the tab is come back to: another one may have signed out, or in as somebody else. */
const ALWAYS = { refetchOnWindowFocus: 'always' } as const;
const SESSION = { queryKey: ['session'], queryFn: readSession, ...ALWAYS };
const ME = { queryKey: ['me'], queryFn: () => client.account.read(), ...ALWAYS };

/** The page is of whom it first showed. When somebody else is found, it is loaded anew; until then nothing is done in their name. */
async function readSession(): Promise<CurrentSession> {
  const session = await client.session.current();
  client.showPerson(session.user.user_id);
  return session;
}

/** Who is signed in, in which organization, and what they may do. The shell sees to it that there is somebody. */
export const useSession = (): CurrentSession => useSuspenseQuery(SESSION).data;

/** Their account as a whole. */
export const useMe = () => useSuspenseQuery(ME).data;

/** Their seat in the organization that the session is in. */
export function useHome() {
  const { user } = useSession();
  return useMe().memberships.find(({ organization_id }) => organization_id === user.organization_id);
}

/** After a change of what either says. */
export const reloadSession = (): Promise<void> =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['session'] }),
    queries.invalidateQueries({ queryKey: ['me'] }),
  ]).then(() => undefined);

const RANKS = ['viewer', 'admin', 'owner'] as const;
type PlatformRole = (typeof RANKS)[number];

/** Whether the one who is signed in holds that platform role or a higher one. */
export function usePlatformRole(least: PlatformRole): boolean {
  const { platform_role } = useSession().capabilities;
  return platform_role !== null && RANKS.indexOf(platform_role) >= RANKS.indexOf(least);
}

/** Whether their role in the organization permits it: `members.invite`. */
export const usePermission = (permission: string): boolean =>
  useSession().capabilities.permissions.includes(permission);

let leaving = false;

/** To the sign-in page, and from there back to where they are. Once: several calls learn of the end of a session at the same time. */
export function goToSignIn(): void {
  if (leaving) return;
  leaving = true;
  // Should the way there fail, another try is not in vain.
  setTimeout(() => {
    leaving = false;
  }, 5_000);
  const here = location.pathname + location.search;
  location.replace(`/sign-in?${new URLSearchParams({ redirect_to: here })}`);
}
