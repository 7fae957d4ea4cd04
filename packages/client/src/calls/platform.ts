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
  read: (query: OverviewQuery = {}) => call<Overview>('GET', '/admin/overview', { query }),
});

export const organizationCalls = (call: Call) => ({
  list: (query: OrganizationQuery = {}) => call<OrganizationPage>('GET', '/admin/orgs', { query }),
  read: (id: string) => call<Organization>('GET', path`/admin/orgs/${id}`),
  create: (body: NewOrganizationRequest) => call<NewOrganization>('POST', '/admin/orgs', { body }),
  /** Renames, suspends or restores. */
  change: (id: string, body: OrganizationChange) => call<Organization>('PATCH', path`/admin/orgs/${id}`, { body }),
});

export const userCalls = (call: Call) => ({
  list: (query: UserQuery = {}) => call<UserPage>('GET', '/admin/users', { query }),
  read: (id: string) => call<User>('GET', path`/users/${id}`),
  changeStatus: (id: string, status: 'active' | 'disabled') =>
    call<User>('PATCH', path`/admin/users/${id}`, { body: { status } }),
  remove: (id: string) => call<void>('DELETE', path`/admin/users/${id}`),
  resetMfa: (id: string) => call<void>('POST', path`/admin/users/${id}/mfa/reset`),
  signOut: (id: string) => call<void>('DELETE', path`/admin/users/${id}/sessions`),
  changePlatformRole: (id: string, role: User['platform_role']) =>
    call<User>('PUT', path`/admin/users/${id}/platform-role`, { body: { role } }),
});

export const providerCalls = (call: Call) => ({
  list: () => call<ProviderList>('GET', '/admin/integrations'),
  save: (provider: Provider, body: ProviderChange) =>
    call<ProviderView>('PUT', path`/admin/integrations/${provider}`, { body }),
  test: (provider: Provider) => call<ProbeResult>('POST', path`/admin/integrations/${provider}/test`),
});

export const flagCalls = (call: Call) => ({
  /** As they are for the organization of the session: what a product asks. */
  mine: () => call<FlagMap>('GET', '/feature-flags'),
  list: (organization_id?: string) =>
    call<FeatureFlag[]>('GET', '/admin/feature-flags', { query: { organization_id } }),
  save: (body: FlagChange) => call<FeatureFlag>('PUT', '/admin/feature-flags', { body }),
  remove: (flag_key: string, organization_id?: string | null) =>
    call<void>('DELETE', path`/admin/feature-flags/${flag_key}`, { query: { organization_id } }),
});

export const auditCalls = (call: Call, base: string) => ({
  list: (query: AuditQuery = {}) => call<AuditPage>('GET', '/audit-logs', { query }),
  /** Whether a download would begin: it renews the session, and rejects as the download would fail. */
  checkExport: (query: AuditExportQuery = {}) => call<unknown>('HEAD', '/admin/audit-export', { query }),
  /** Where a browser downloads the signed export; it may be larger than memory. */
  exportUrl: ({ from, to }: AuditExportQuery): string => {
    const given = Object.entries({ from, to }).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return `${base}/admin/audit-export${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
  },
});
