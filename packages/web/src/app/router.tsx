import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Loading } from '../ui/Loading.tsx';
import { NotFound } from './NotFound.tsx';
import { PageFailed } from './PageFailed.tsx';
import { Shell } from './Shell.tsx';
import { parseSearch, stringifySearch } from './search.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The parent of all console pages: requires a platform role, and tells other users how to get one. */
const consoleRoute = createRoute({
  getParentRoute: () => root,
  id: 'console',
  component: lazyRouteComponent(() => import('../console/ConsoleAccess.tsx'), 'ConsoleAccess'),
});

type Load = () => Promise<{ Page: ComponentType }>;

const page = (path: string, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') });
const consolePage = (path: string, load: Load) =>
  createRoute({ getParentRoute: () => consoleRoute, path, component: lazyRouteComponent(load, 'Page') });

export const router = createRouter({
  routeTree: root.addChildren([
    page('/account', () => import('../account/profile/Profile.tsx')),
    page('/account/security', () => import('../account/security/Security.tsx')),
    page('/account/sessions', () => import('../account/sessions/Sessions.tsx')),
    page('/account/organizations', () => import('../account/organizations/Organizations.tsx')),
    page('/organization/members', () => import('../organization/members/Members.tsx')),
    page('/organization/invitations', () => import('../organization/invitations/Invitations.tsx')),
    consoleRoute.addChildren([
      consolePage('/console', () => import('../console/overview/Overview.tsx')),
      consolePage('/console/organizations', () => import('../console/organizations/Organizations.tsx')),
      consolePage('/console/organizations/$id', () => import('../console/organizations/Organization.tsx')),
      consolePage('/console/users', () => import('../console/users/Users.tsx')),
      consolePage('/console/users/$id', () => import('../console/users/User.tsx')),
      consolePage('/console/providers', () => import('../console/providers/Providers.tsx')),
      consolePage('/console/providers/$provider', () => import('../console/providers/Provider.tsx')),
      consolePage('/console/flags', () => import('../console/flags/Flags.tsx')),
      consolePage('/console/audit', () => import('../console/audit/Audit.tsx')),
    ]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageFailed,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
