import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  Application,
  ApplicationChange,
  ApplicationList,
  AuditExportQuery,
  AuditPage,
  AuditQuery,
  CreatedApplicationSecret,
  CreatedOrganization,
  FeatureFlag,
  FlagChange,
  FlagMap,
  NewApplication,
  NewApplicationSecret,
  NewOrganizationRequest,
  NewRole,
  Organization,
  OrganizationChange,
  OrganizationPage,
  OrganizationQuery,
  Overview,
  OverviewQuery,
  Permission,
  PermissionChange,
  PermissionList,
  Policy,
  ProbeResult,
  Provider,
  ProviderChange,
  ProviderList,
  ProviderView,
  Role,
  RoleChange,
  RoleList,
  SessionList,
  User,
  UserPage,
  UserQuery,
} from '../wire.ts';

export const overviewCalls = (call: Call) => ({
  /** Returns totals of users, organizations and sessions, and sign-ins over time. */
  read: (query: OverviewQuery = {}) => call<Overview>('GET', '/admin/overview', { query }),
});

export const organizationCalls = (call: Call) => ({
  /** Returns all organizations, newest first. */
  list: (query: OrganizationQuery = {}) => call<OrganizationPage>('GET', '/admin/orgs', { query }),
  /** Returns one organization. */
  read: (id: string) => call<Organization>('GET', path`/admin/orgs/${id}`),
  /** Creates an organization and its first owner, even if registration is closed. */
  create: (body: NewOrganizationRequest) => call<CreatedOrganization>('POST', '/admin/orgs', { body }),
  /** Renames, suspends or restores an organization. Suspending revokes its sessions at once. */
  change: (id: string, body: OrganizationChange) => call<Organization>('PATCH', path`/admin/orgs/${id}`, { body }),
  /** Returns the rules for sign-in and sessions of the organization. */
  policy: (id: string) => call<Policy>('GET', path`/admin/orgs/${id}/policy`),
  /** Resets all rules, for owners who are locked out, and mails the owners. Requires a recent second factor. */
  resetPolicy: (id: string) => call<void>('DELETE', path`/admin/orgs/${id}/policy`),
});

export const permissionCalls = (call: Call) => ({
  /** Returns the permissions of the product, sorted by name. */
  list: () => call<PermissionList>('GET', '/admin/permissions'),
  /** Declares a permission of the product, or replaces its description. An omitted `description` becomes null. */
  save: (name: string, body: PermissionChange = {}) =>
    call<Permission>('PUT', path`/admin/permissions/${name}`, { body }),
  /** Deletes a permission and removes it from all roles. */
  remove: (name: string) => call<void>('DELETE', path`/admin/permissions/${name}`),
});

export const applicationCalls = (call: Call) => ({
  /** Returns the applications that can sign users in with this service, sorted by name. */
  list: () => call<ApplicationList>('GET', '/admin/applications'),
  /** Returns one application. */
  read: (id: string) => call<Application>('GET', path`/admin/applications/${id}`),
  /** Creates an application, without a secret: see `createSecret`. */
  create: (body: NewApplication) => call<Application>('POST', '/admin/applications', { body }),
  /** Changes an application. Fields that are left out stay as they are. Disabling it revokes all its tokens. */
  change: (id: string, body: ApplicationChange) =>
    call<Application>('PATCH', path`/admin/applications/${id}`, { body }),
  /** Deletes an application and revokes all its tokens at once. */
  remove: (id: string) => call<void>('DELETE', path`/admin/applications/${id}`),
  /** Creates a secret of an application of kind `web`. Only this response contains it. */
  createSecret: (id: string, body: NewApplicationSecret = {}) =>
    call<CreatedApplicationSecret>('POST', path`/admin/applications/${id}/secrets`, { body }),
  /** Deletes a secret. The application can no longer authenticate with it; its tokens stay valid. */
  removeSecret: (id: string, secret_id: string) =>
    call<void>('DELETE', path`/admin/applications/${id}/secrets/${secret_id}`),
});

export const globalRoleCalls = (call: Call) => ({
  /** Returns the roles that every organization can assign. */
  list: () => call<RoleList>('GET', '/admin/roles'),
  /** Creates a global role. */
  create: (body: NewRole) => call<Role>('POST', '/admin/roles', { body }),
  /** Changes a global role. Fields that are left out stay as they are. */
  change: (id: string, body: RoleChange) => call<Role>('PATCH', path`/admin/roles/${id}`, { body }),
  /** Deletes a global role. Members of all organizations lose it. */
  remove: (id: string) => call<void>('DELETE', path`/admin/roles/${id}`),
});

export const userCalls = (call: Call) => ({
  /** Returns all users, newest first, including deleted ones: check `status`. */
  list: (query: UserQuery = {}) => call<UserPage>('GET', '/admin/users', { query }),
  /** Returns one user. A caller without a platform role can read only their own. */
  read: (id: string) => call<User>('GET', path`/users/${id}`),
  /** Disables a user, which revokes their sessions at once, or enables them again. */
  changeStatus: (id: string, status: 'active' | 'disabled') =>
    call<User>('PATCH', path`/admin/users/${id}`, { body: { status } }),
  /** Deletes a user permanently. The record stays with `status` deleted; the email can be registered again at once. */
  remove: (id: string) => call<void>('DELETE', path`/admin/users/${id}`),
  /** Removes the second factor of a user who has lost it. Verify their identity first. The user is notified by mail. */
  resetMfa: (id: string) => call<void>('POST', path`/admin/users/${id}/mfa/reset`),
  /** Revokes every session of a user. */
  signOut: (id: string) => call<void>('DELETE', path`/admin/users/${id}/sessions`),
  /** Returns the active sessions of a user, last used first. */
  sessions: (id: string) => call<SessionList>('GET', path`/admin/users/${id}/sessions`),
  /** Ends one session of a user. */
  endSession: (id: string, session_id: string) => call<void>('DELETE', path`/admin/users/${id}/sessions/${session_id}`),
  /** Mails a user a link to reset the password. */
  sendReset: (id: string) => call<void>('POST', path`/admin/users/${id}/send-reset`),
  /** Grants, changes or removes a platform role. Requires platform owner. */
  changePlatformRole: (id: string, role: User['platform_role']) =>
    call<User>('PUT', path`/admin/users/${id}/platform-role`, { body: { role } }),
});

export const providerCalls = (call: Call) => ({
  /** Returns the configuration of mail and third-party sign-in: always all six providers, never a secret. */
  list: () => call<ProviderList>('GET', '/admin/integrations'),
  /** Configures a provider, effective at once. An omitted `secret` stays as it is. Requires a recent second factor. */
  save: (provider: Provider, body: ProviderChange) =>
    call<ProviderView>('PUT', path`/admin/integrations/${provider}`, { body }),
  /** Tests the stored configuration. Resolves even if the test fails: check `ok`. Requires a recent second factor. */
  test: (provider: Provider) => call<ProbeResult>('POST', path`/admin/integrations/${provider}/test`),
});

export const flagCalls = (call: Call) => ({
  /** Returns the flags that apply to the organization of the session, for use in a product. */
  mine: () => call<FlagMap>('GET', '/feature-flags'),
  /** Returns the default flags and, if `organization_id` is given, the overrides of that organization. */
  list: (organization_id?: string) =>
    call<FeatureFlag[]>('GET', '/admin/feature-flags', { query: { organization_id } }),
  /**
   * Sets the default of a flag or, with `organization_id`, the override of that organization. Replaces the whole row:
   * an omitted `value` becomes null.
   */
  save: (body: FlagChange) => call<FeatureFlag>('PUT', '/admin/feature-flags', { body }),
  /** Removes the default or, with `organization_id`, only the override of that organization. */
  remove: (flag_key: string, organization_id?: string | null) =>
    call<void>('DELETE', path`/admin/feature-flags/${flag_key}`, { query: { organization_id } }),
});

export const auditCalls = (call: Call, base: string) => ({
  /** Returns the audit trail, newest first, with an exact total. */
  list: (query: AuditQuery = {}) => call<AuditPage>('GET', '/audit-logs', { query }),
  /**
   * Checks whether the export can be downloaded: renews the session, and rejects with the error the download would
   * have.
   */
  checkExport: (query: AuditExportQuery = {}) => call<unknown>('HEAD', '/admin/audit-export', { query }),
  /**
   * Returns the URL of the signed export, for a download by the browser; it may be larger than memory. Makes no
   * request.
   */
  exportUrl: ({ from, to }: AuditExportQuery): string => {
    const given = Object.entries({ from, to }).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return `${base}/admin/audit-export${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
  },
});
