import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { type AppPage, AREAS } from './areas.ts';
import { NotFound } from './NotFound.tsx';
import { PageFailed } from './PageFailed.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';
import { Shell } from './Shell.tsx';
import { parseSearch, stringifySearch } from './search.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The parent of all console pages: requires a platform role, and tells other users how to get one. */
const consoleRoute = createRoute({
  getParentRoute: () => root,
  id: 'console',
  component: lazyRouteComponent(() => import('../console/ConsoleAccess.tsx'), 'ConsoleAccess'),
});

/** The parent of all account pages, which are not available in a session of single sign-on. */
const accountRoute = createRoute({
  getParentRoute: () => root,
  id: 'account',
  component: lazyRouteComponent(() => import('../account/AccountAccess.tsx'), 'AccountAccess'),
});

const routesOf = (parent: typeof root | typeof consoleRoute | typeof accountRoute, pages: readonly AppPage[]) =>
  pages.map(({ path, load }) =>
    createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(load, 'Page') }),
  );

export const router = createRouter({
  routeTree: root.addChildren([
    ...routesOf(root, AREAS.organization),
    accountRoute.addChildren(routesOf(accountRoute, AREAS.account)),
    consoleRoute.addChildren(routesOf(consoleRoute, AREAS.console)),
  ]),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageFailed,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
