import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  AuditExportQuery,
  AuditPage,
  AuditQuery,
  FeatureFlag,
  FlagChange,
  FlagMap,
  NewOrganization,
  NewOrganizationRequest,
  Organization,
  OrganizationChange,
  OrganizationPage,
  OrganizationQuery,
  Overview,
  OverviewQuery,
  ProbeResult,
  Provider,
  ProviderChange,
  ProviderList,
  ProviderView,
  User,
  UserPage,
  UserQuery,
} from '../wire.ts';

export const overviewCalls = (call: Call) => ({
  /** How many of everything there are, and sign-ins over time. */
  read: (query: OverviewQuery = {}) => call<Overview>('GET', '/admin/overview', { query }),
});

export const organizationCalls = (call: Call) => ({
  /** All organizations, newest first. */
  list: (query: OrganizationQuery = {}) => call<OrganizationPage>('GET', '/admin/orgs', { query }),
  /** One organization. */
  read: (id: string) => call<Organization>('GET', path`/admin/orgs/${id}`),
  /** Makes an organization and its first owner, also while registration is closed. */
  create: (body: NewOrganizationRequest) => call<NewOrganization>('POST', '/admin/orgs', { body }),
  /** Renames, suspends or restores. Suspending ends its sessions at once. */
  change: (id: string, body: OrganizationChange) => call<Organization>('PATCH', path`/admin/orgs/${id}`, { body }),
});

export const userCalls = (call: Call) => ({
  /** All users, newest first, deleted ones too: look at `status`. */
  list: (query: UserQuery = {}) => call<UserPage>('GET', '/admin/users', { query }),
  /** One user. Without a platform role: oneself alone. */
  read: (id: string) => call<User>('GET', path`/users/${id}`),
  /** Disables somebody, which ends their sessions at once, or enables them again. */
  changeStatus: (id: string, status: 'active' | 'disabled') =>
    call<User>('PATCH', path`/admin/users/${id}`, { body: { status } }),
  /** Deletes somebody for good. The record stays with `status` deleted; the email is free at once. */
  remove: (id: string) => call<void>('DELETE', path`/admin/users/${id}`),
  /** Clears the second factor of somebody who has lost it. Make sure who it is first; they are told by mail. */
  resetMfa: (id: string) => call<void>('POST', path`/admin/users/${id}/mfa/reset`),
  /** Ends every session of somebody. */
  signOut: (id: string) => call<void>('DELETE', path`/admin/users/${id}/sessions`),
  /** Gives, changes or takes a platform role. Platform owners may. */
  changePlatformRole: (id: string, role: User['platform_role']) =>
    call<User>('PUT', path`/admin/users/${id}/platform-role`, { body: { role } }),
});

export const providerCalls = (call: Call) => ({
  /** How mail and third-party sign-in are configured: always all six, and never a secret. */
  list: () => call<ProviderList>('GET', '/admin/integrations'),
  /** Configures one; it is in force at once. A `secret` that is left out stays as it is. Asks for a recent second factor. */
  save: (provider: Provider, body: ProviderChange) =>
    call<ProviderView>('PUT', path`/admin/integrations/${provider}`, { body }),
  /** Tries what is stored. That it does not work is an answer, not a failure: look at `ok`. Asks for a recent second factor. */
  test: (provider: Provider) => call<ProbeResult>('POST', path`/admin/integrations/${provider}/test`),
});

export const flagCalls = (call: Call) => ({
  /** As they are for the organization of the session: what a product asks. */
  mine: () => call<FlagMap>('GET', '/feature-flags'),
  /** The defaults and, when one is named, what that organization has of its own. */
  list: (organization_id?: string) =>
    call<FeatureFlag[]>('GET', '/admin/feature-flags', { query: { organization_id } }),
  /** Sets a flag: the default or, with `organization_id`, for one. The whole row is replaced: a `value` that is left out is null. */
  save: (body: FlagChange) => call<FeatureFlag>('PUT', '/admin/feature-flags', { body }),
  /** Removes the default or, when one is named, what that organization has of its own. The others stay. */
  remove: (flag_key: string, organization_id?: string | null) =>
    call<void>('DELETE', path`/admin/feature-flags/${flag_key}`, { query: { organization_id } }),
});

export const auditCalls = (call: Call, base: string) => ({
  /** The audit trail, newest first, with an exact total. */
  list: (query: AuditQuery = {}) => call<AuditPage>('GET', '/audit-logs', { query }),
  /** Whether a download would begin: it renews the session, and rejects as the download would fail. */
  checkExport: (query: AuditExportQuery = {}) => call<unknown>('HEAD', '/admin/audit-export', { query }),
  /** Where a browser downloads the signed export; it may be larger than memory. Makes no request. */
  exportUrl: ({ from, to }: AuditExportQuery): string => {
    const given = Object.entries({ from, to }).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return `${base}/admin/audit-export${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
  },
});
