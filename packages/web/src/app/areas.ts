import type { ComponentType } from 'react';
import type { IconName } from '../ui/Icon.tsx';
import type { Text } from './text/en.ts';

export interface AppPage {
  readonly path: string;
  readonly load: () => Promise<{ Page: ComponentType }>;
  /** The name and icon in the menu of the area. Pages without a menu entry are reached from other pages. */
  readonly menu?: readonly [keyof Text['pages'], IconName];
  /** Users without this permission in the organization do not see the page in the menu. */
  readonly permission?: string;
}

const page = (path: string, load: AppPage['load'], menu?: AppPage['menu'], permission?: string): AppPage => ({
  path,
  load,
  ...(menu && { menu }),
  ...(permission && { permission }),
});

/**
 * Every page for signed-in users. The router and the menus are built from this table: a new page is one line here, its
 * name in `text/`, and its path in `src/pages.ts`. The first page of an area is the one that its link opens.
 */
export const AREAS = {
  account: [
    page('/account', () => import('../account/profile/Profile.tsx'), ['profile', 'user']),
    page('/account/security', () => import('../account/security/Security.tsx'), ['security', 'shield']),
    page('/account/sessions', () => import('../account/sessions/Sessions.tsx'), ['sessions', 'device']),
    page('/account/organizations', () => import('../account/organizations/Organizations.tsx'), [
      'organizations',
      'building',
    ]),
    page('/account/applications', () => import('../account/applications/Applications.tsx'), ['applications', 'app']),
    page('/account/data', () => import('../account/privacy/Privacy.tsx'), ['data', 'download']),
  ],
  organization: [
    page('/organization/members', () => import('../organization/members/Members.tsx'), ['members', 'users']),
    page(
      '/organization/invitations',
      () => import('../organization/invitations/Invitations.tsx'),
      ['invitations', 'mail'],
      'members.invite',
    ),
    page('/organization/roles', () => import('../organization/roles/Roles.tsx'), ['roles', 'shield'], 'members.list'),
    page('/organization/policy', () => import('../organization/policy/PolicyPage.tsx'), ['policy', 'key'], 'org.read'),
    page(
      '/organization/domains',
      () => import('../organization/domains/Domains.tsx'),
      ['domains', 'globe'],
      'sso.manage',
    ),
    page('/organization/sso', () => import('../organization/sso/Connections.tsx'), ['sso', 'enter'], 'sso.manage'),
    page('/organization/sso/$id', () => import('../organization/sso/Connection.tsx')),
    page(
      '/organization/machines',
      () => import('../organization/machines/Machines.tsx'),
      ['machines', 'machine'],
      'machines.manage',
    ),
    page('/organization/machines/$id', () => import('../organization/machines/Machine.tsx')),
    page(
      '/organization/activity',
      () => import('../organization/activity/Activity.tsx'),
      ['activity', 'audit'],
      'audit.read',
    ),
    page(
      '/organization/webhooks',
      () => import('../organization/webhooks/Webhooks.tsx'),
      ['webhooks', 'bolt'],
      'webhooks.manage',
    ),
    page('/organization/webhooks/$id', () => import('../organization/webhooks/Webhook.tsx')),
    page('/organization/settings', () => import('../organization/settings/Settings.tsx'), ['settings', 'sliders']),
  ],
  console: [
    page('/console', () => import('../console/overview/Overview.tsx'), ['overview', 'chart']),
    page('/console/organizations', () => import('../console/organizations/Organizations.tsx'), [
      'organizations',
      'building',
    ]),
    page('/console/organizations/$id', () => import('../console/organizations/Organization.tsx')),
    page('/console/users', () => import('../console/users/Users.tsx'), ['users', 'users']),
    page('/console/users/$id', () => import('../console/users/User.tsx')),
    page('/console/roles', () => import('../console/roles/Roles.tsx'), ['roles', 'shield']),
    page('/console/permissions', () => import('../console/permissions/Permissions.tsx'), ['permissions', 'key']),
    page('/console/providers', () => import('../console/provider-settings/Providers.tsx'), ['providers', 'plug']),
    page('/console/providers/$provider', () => import('../console/provider-settings/Provider.tsx')),
    page('/console/applications', () => import('../console/applications/Applications.tsx'), ['applications', 'app']),
    page('/console/applications/$id', () => import('../console/applications/Application.tsx')),
    page('/console/webhooks', () => import('../console/webhooks/Webhooks.tsx'), ['webhooks', 'bolt']),
    page('/console/webhooks/$id', () => import('../console/webhooks/Webhook.tsx')),
    page('/console/flags', () => import('../console/flags/Flags.tsx'), ['flags', 'flag']),
    page('/console/audit', () => import('../console/audit/Audit.tsx'), ['audit', 'audit']),
  ],
} as const satisfies Record<string, readonly AppPage[]>;

type Area = keyof typeof AREAS;

/** Returns the area of a path. Unknown paths belong to the account. */
export function areaOf(path: string): Area {
  const [, first = ''] = path.split('/');
  return Object.hasOwn(AREAS, first) ? (first as Area) : 'account';
}
