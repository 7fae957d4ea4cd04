import type { CurrentSession } from '@gatehouse/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { client } from '../ui/client.ts';
import { noteEnded } from '../ui/session-ended.ts';
import { mayHaveSession, noteSession } from '../ui/session-hint.ts';
import { isSsoSession } from '../ui/sso-session.ts';
import { queries } from './query.ts';

/** Refetched whenever the tab gets the focus: another tab may have signed out, or in as another user. */
const ON_FOCUS = { refetchOnWindowFocus: 'always' } as const;
const SESSION = { queryKey: ['session'], queryFn: readSession, ...ON_FOCUS };
const ME = { queryKey: ['me'], queryFn: () => client.account.read(), ...ON_FOCUS };

type Bound = Pick<CurrentSession['user'], 'user_id' | 'organization_id'>;
let bound: Bound | undefined;

/**
 * Until the returned function is called, a new session of the same user is switched to this organization: a form with
 * unsaved values belongs to it.
 */
export function bindSession(to: Bound): () => void {
  bound = to;
  return () => {
    bound = undefined;
  };
}

async function readBound(): Promise<CurrentSession> {
  const session = await client.session.current();
  const { user_id, organization_id } = session.user;
  if (!bound || user_id !== bound.user_id || organization_id === bound.organization_id) return session;
  return client.session.switchOrganization(bound.organization_id).then(
    () => client.session.current(),
    // The user is no longer a member there: `StepUpProvider` loads the page again.
    () => session,
  );
}

/** Binds the page to the first user it shows: writes fail for another user until the page is loaded again. */
async function readSession(): Promise<CurrentSession> {
  const session = await readBound();
  client.bindUser(session.user.user_id);
  noteSession();
  return session.user.extensions.restricted === undefined ? session : goToSecondFactor();
}

/** Goes to the page for the second factor that the organization requires, which returns here. Never settles. */
function goToSecondFactor(): Promise<never> {
  const here = location.pathname + location.search;
  location.replace(`/second-factor?${new URLSearchParams({ redirect_to: here })}`);
  return new Promise(() => {});
}

/** Loads what `Shell` needs. Errors are kept, and thrown when it renders. */
export const loadSession = (): Promise<unknown> =>
  Promise.all([queries.prefetchQuery(SESSION), queries.prefetchQuery(ME)]);

/** Returns user, organization and permissions of the session. `Shell` ensures that there is a session. */
export const useSession = (): CurrentSession => useSuspenseQuery(SESSION).data;

/** Returns whether single sign-on opened the session: then account pages and other organizations are not available. */
export const useIsSso = (): boolean => isSsoSession(useSession().user);

export const useMe = () => useSuspenseQuery(ME).data;

/** Returns the user's membership in the organization of the session. */
export function useHome() {
  const { user } = useSession();
  return useMe().memberships.find(({ organization_id }) => organization_id === user.organization_id);
}

/** To be called after a change of the session or the account. */
export const reloadSession = (): Promise<void> =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['session'] }),
    queries.invalidateQueries({ queryKey: ['me'] }),
  ]).then(() => undefined);

const RANKS = ['viewer', 'admin', 'owner'] as const;
type PlatformRole = (typeof RANKS)[number];

/** Returns whether the user has this platform role or a higher one. */
export function usePlatformRole(least: PlatformRole): boolean {
  const { platform_role } = useSession().capabilities;
  return platform_role !== null && RANKS.indexOf(platform_role) >= RANKS.indexOf(least);
}

export const usePermission = (permission: string): boolean =>
  useSession().capabilities.permissions.includes(permission);

let leaving = false;

/** Goes to the sign-in page, which returns to this page. Only once: several calls may fail at the same time. */
export function goToSignIn(): void {
  if (leaving) return;
  leaving = true;
  // If the navigation fails, another attempt is possible after this time.
  setTimeout(() => {
    leaving = false;
  }, 5_000);
  // The sign-in page reports the end of the session, but not to a visitor who never signed in in this browser.
  if (mayHaveSession()) noteEnded();
  const here = location.pathname + location.search;
  location.replace(`/sign-in?${new URLSearchParams({ redirect_to: here })}`);
}
