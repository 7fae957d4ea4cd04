// The tables for Kysely, generated from a migrated database, column-types.ts and column-notes.ts. To update:
//   npx vitest run --project embedded packages/server/test/schema-types.test.ts -u
// Columns are in snake_case, also in the JSON of the API: nothing renames them.
import type { ColumnType, Generated } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

export interface Schema {
  api_keys: ApiKeys;
  application_consents: ApplicationConsents;
  application_grants: ApplicationGrants;
  application_keys: ApplicationKeys;
  application_secrets: ApplicationSecrets;
  applications: Applications;
  audit_events: AuditEvents;
  audit_hours: AuditHours;
  audit_mark: AuditMark;
  avatars: Avatars;
  bus_events: BusEvents;
  domains: Domains;
  event_stream: EventStream;
  feature_flags: FeatureFlags;
  foreign_hash_keys: ForeignHashKeys;
  identities: Identities;
  imports: Imports;
  interactions: Interactions;
  invitations: Invitations;
  mails: Mails;
  member_roles: MemberRoles;
  memberships: Memberships;
  mfa_tokens: MfaTokens;
  milestones: Milestones;
  oauth_states: OauthStates;
  one_time_tokens: OneTimeTokens;
  organizations: Organizations;
  passkey_challenges: PasskeyChallenges;
  passkeys: Passkeys;
  password_counts: PasswordCounts;
  permissions: Permissions;
  provider_configs: ProviderConfigs;
  rate_counters: RateCounters;
  recovery_codes: RecoveryCodes;
  refresh_uses: RefreshUses;
  refreshes: Refreshes;
  replicas: Replicas;
  revocations: Revocations;
  roles: Roles;
  schema_migrations: SchemaMigrations;
  service_account_roles: ServiceAccountRoles;
  service_accounts: ServiceAccounts;
  sessions: Sessions;
  signing_keys: SigningKeys;
  sso_connection_roles: SsoConnectionRoles;
  sso_connections: SsoConnections;
  sso_identities: SsoIdentities;
  totp_secrets: TotpSecrets;
  trusted_browsers: TrustedBrowsers;
  turns: Turns;
  user_counts: UserCounts;
  user_logins: UserLogins;
  users: Users;
  webhook_deliveries: WebhookDeliveries;
  webhook_secrets: WebhookSecrets;
  webhook_spans: WebhookSpans;
  webhooks: Webhooks;
}

export interface ApiKeys {
  id: ColumnType<string, string, never>;
  service_account_id: string;
  /** The 12 characters after `gth_`. */
  public_id: string;
  /** HMAC-SHA-256 of the secret part. */
  secret_hash: Buffer;
  /** The `sid` of its access tokens; a new one after each disabling and suspension. */
  sid: string;
  name: string;
  /** Null: everything that the account may do. Sorted. */
  scopes: string[] | null;
  allowed_ips: string[];
  allowed_referrers: string[];
  created_at: Date;
  expires_at: Date | null;
  /** Set by a rotation with overlap. */
  overlap_ends_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface ApplicationConsents {
  user_id: string;
  application_id: string;
  /** What the user has allowed. Empty for a trusted application, which does not ask. */
  scopes: string[];
  /** What tokens were issued for. */
  issued_scopes: string[];
  granted_at: Date;
  revoked_at: Date | null;
}

export interface ApplicationGrants {
  /** The `sid` of its tokens. */
  id: ColumnType<string, string, never>;
  application_id: string;
  user_id: string;
  organization_id: string;
  /** The session in which the user authorized. It may have been deleted since. */
  session_id: string;
  scopes: string[];
  resource: string | null;
  /** It has the scope `offline_access` and outlives its session. */
  offline: boolean;
  /** The first factor of the session in which the grant began, for the policy of the organization. Null: unknown. */
  first_factor: ColumnTypes['application_grants.first_factor'] | null;
  aal: 'aal1' | 'aal2';
  auth_time: Date;
  nonce: string | null;
  redirect_uri: string | null;
  code_challenge: string | null;
  code_hash: Buffer | null;
  code_expires_at: Date | null;
  code_used_at: Date | null;
  /** The id of the unused refresh token. */
  refresh_jti: string | null;
  created_at: Date;
  last_used_at: Date | null;
  access_expires_at: Date | null;
  expires_at: Date;
  ended_at: Date | null;
  /** The connection of the session in which the grant began. Such a grant ends with the session, also with `offline_access`. */
  connection_id: string | null;
}

export interface ApplicationKeys {
  kid: ColumnType<string, string, never>;
  public_jwk: ColumnType<ColumnTypes['application_keys.public_jwk'], string, string>;
  sealed_private_key: string | null;
  created_at: Date;
  signs_from: Date;
  /** Null while no successor is planned. */
  published_until: Date | null;
  replaces_sealed: Generated<boolean>;
}

export interface ApplicationSecrets {
  id: ColumnType<string, string, never>;
  application_id: string;
  hash: Buffer;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export interface Applications {
  id: ColumnType<string, string, never>;
  client_id: string;
  name: string;
  kind: ColumnTypes['applications.kind'];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  backchannel_logout_uri: string | null;
  scopes: string[];
  resources: string[];
  trusted: boolean;
  device_flow: boolean;
  organization_id: string | null;
  enabled: boolean;
  created_at: Date;
  deleted_at: Date | null;
}

export interface AuditEvents {
  id: ColumnType<number, never, never>;
  event_id: string;
  timestamp: Date;
  organization_id: string;
  actor_id: string | null;
  actor_type: string;
  action: string;
  resource_type: string;
  resource_id: string;
  ip_address: string | null;
  user_agent: string | null;
  request_id: string | null;
  metadata: ColumnType<ColumnTypes['audit_events.metadata'], string, string>;
  outcome: string;
  xid: ColumnType<string, never, never>;
  /** Null: written by the previous version. See `visibilityOf`. */
  visibility: ColumnTypes['audit_events.visibility'] | null;
}

export interface AuditHours {
  /** Empty: all actions together. */
  action: string;
  hour: Date;
  count: number;
  least_id: number;
  greatest_id: number;
  sign_ins: number;
  failed_sign_ins: number;
}

export interface AuditMark {
  only_one: ColumnType<boolean, boolean | undefined, never>;
  counted_before: string;
  counted_to: number;
}

export interface Avatars {
  id: ColumnType<string, string, never>;
  user_id: string;
  image: Buffer;
  created_at: Date;
}

export interface BusEvents {
  id: ColumnType<number, never, never>;
  topic: string;
  key: string;
  created_at: Date;
  xid: ColumnType<string, never, never>;
}

export interface Domains {
  id: ColumnType<string, string, never>;
  organization_id: string;
  /** Lower-case, as A-labels. */
  domain: string;
  /** The value of the TXT record after `gatehouse-domain=`. It is public. */
  token: string;
  connection_id: string | null;
  created_at: Date;
  /** Null: pending. */
  verified_at: Date | null;
  /** The last look-up of the record that was answered, whether or not the record was found. */
  checked_at: Date | null;
  /** The next daily check. Null while pending. */
  next_check_at: Date | null;
  /** The first failed daily check since the record was last found. */
  failing_since: Date | null;
  removed_at: Date | null;
}

export interface EventStream {
  only_one: ColumnType<boolean, boolean | undefined, never>;
  /** Null until the service has determined the order. */
  epoch: string | null;
  place: string | null;
  old_to: Generated<number>;
  sent_xid: Generated<string>;
  sent_id: Generated<number>;
}

export interface FeatureFlags {
  flag_key: string;
  /** Null: the default for every organization. */
  organization_id: string | null;
  enabled: boolean;
  value: ColumnType<ColumnTypes['feature_flags.value'] | null, string | null, string | null>;
  updated_at: Date;
}

export interface ForeignHashKeys {
  id: ColumnType<string, string, never>;
  sealed_key: string;
  created_at: Date;
}

export interface Identities {
  id: ColumnType<string, string, never>;
  user_id: string;
  provider: ColumnTypes['identities.provider'];
  issuer: string;
  /** Null once revoked, like the email. */
  subject: string | null;
  email: string | null;
  linked_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

export interface Imports {
  export_id: string;
  file: string;
  lines: number;
  finished_at: Date | null;
}

export interface Interactions {
  id: ColumnType<string, string, never>;
  kind: ColumnTypes['interactions.kind'];
  /** The hash of the cookie of the browser in which the request began. */
  browser_hash: Buffer;
  application_id: string;
  /** The user who decides. Null: the user who signs in. */
  user_id: string | null;
  request: ColumnType<ColumnTypes['interactions.request'], string, string>;
  requested_from: string | null;
  requested_at: Date;
  expires_at: Date;
  decided_at: Date | null;
}

export interface Invitations {
  id: ColumnType<string, string, never>;
  organization_id: string;
  email: string;
  role: 'owner' | 'admin' | 'member';
  /** Null: a service account sent it. */
  inviter_id: string | null;
  /** The address at the time of sending. */
  inviter_email: string;
  token_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
  closed_at: Date | null;
  /** Roles besides `role`; some may have been deleted since. */
  role_ids: Generated<string[]>;
  /** The sender, if it is not a user. Null again some time after the account was deleted. */
  service_account_id: string | null;
}

export interface Mails {
  id: ColumnType<string, string, never>;
  template: string;
  locale: string;
  /** Recipient and parameters, sealed; null once sent, failed or expired. */
  sealed: string | null;
  state: 'queued' | 'sent' | 'failed' | 'expired';
  attempts: Generated<number>;
  next_attempt_at: Date;
  /** A mail with a token is dropped when the token expires, or earlier if it is voided. */
  expires_at: Date;
  created_at: Date;
  finished_at: Date | null;
  last_error: string | null;
  /** For an address without an account: discarded by the worker. */
  discard: Generated<boolean>;
}

export interface MemberRoles {
  organization_id: string;
  user_id: string;
  role_id: string;
}

export interface Memberships {
  organization_id: string;
  user_id: string;
  role: 'owner' | 'admin' | 'member';
  joined_at: Date;
  revoked_at: Date | null;
  /** The email of the user when the membership ended. */
  revoked_email: string | null;
}

export interface MfaTokens {
  jti: ColumnType<string, string, never>;
  user_id: string;
  attempts: Generated<number>;
  created_at: Date;
  burned_at: Date | null;
  kept_until: Date;
}

export interface Milestones {
  name: ColumnType<string, string, never>;
  reached_at: Date;
}

export interface OauthStates {
  id: ColumnType<Buffer, Buffer, never>;
  expires_at: Date;
}

export interface OneTimeTokens {
  kind: 'login_code' | 'password_reset' | 'email_verification' | 'email_change';
  /** The user's id, or one derived from an address that has no account. */
  subject: string;
  token_hash: Buffer;
  user_id: string | null;
  /** The address that the token is about; for a change of email, the new address. */
  email: string | null;
  attempts: Generated<number>;
  created_at: Date;
  expires_at: Date;
}

export interface Organizations {
  id: ColumnType<string, string, never>;
  name: string;
  slug: string;
  created_at: Date;
  suspended_at: Date | null;
  /** Null: every rule has its default. */
  policy: ColumnType<ColumnTypes['organizations.policy'] | null, string | null, string | null>;
}

export interface PasskeyChallenges {
  id: ColumnType<Buffer, Buffer, never>;
  expires_at: Date;
}

export interface Passkeys {
  id: ColumnType<string, string, never>;
  user_id: string;
  /** Null once revoked, like the key. */
  credential_id: Buffer | null;
  public_key: Buffer | null;
  sign_count: number;
  name: string;
  device_type: ColumnTypes['passkeys.device_type'];
  backed_up: boolean;
  transports: string[];
  aaguid: string;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  /** The relying party id. Null: the host of PUBLIC_BASE_URL; added by the previous version. */
  rp_id: string | null;
}

export interface PasswordCounts {
  /** The text before the salt; empty for our own parameters. */
  head: string;
  delta: number;
}

export interface Permissions {
  name: ColumnType<string, string, never>;
  description: string | null;
  created_at: Date;
}

export interface ProviderConfigs {
  provider: ColumnType<ColumnTypes['provider_configs.provider'], ColumnTypes['provider_configs.provider'], never>;
  enabled: boolean;
  public_config: ColumnType<ColumnTypes['provider_configs.public_config'], string, string>;
  sealed_secret: string | null;
  updated_at: Date;
}

export interface RateCounters {
  key: ColumnType<Buffer, Buffer, never>;
  count: number;
  resets_at: Date;
}

export interface RecoveryCodes {
  user_id: string;
  code_hash: Buffer;
  created_at: Date;
  used_at: Date | null;
}

export interface RefreshUses {
  jti: ColumnType<string, string, never>;
  used_at: Date;
}

export interface Refreshes {
  id: ColumnType<number, never, never>;
  /** Base64url of the SHA-256 of `<org>/<sub>`, `<org>` or `*`. */
  key: string;
  /** Milliseconds since 1970; null until it is published. */
  before: number | null;
  expires_at: Date;
  xid: string | null;
}

export interface Replicas {
  id: ColumnType<string, string, never>;
  /** The key that it signs access tokens with. */
  kid: string;
  /** By the clock of the database. */
  seen_at: Date;
}

export interface Revocations {
  sid: ColumnType<string, string, never>;
  revoked_at: Date;
  expires_at: Date;
  /** The transaction that wrote the row, filled in by the database; null in rows from before 0.2. */
  xid: ColumnType<string | null, never, never>;
}

export interface Roles {
  id: ColumnType<string, string, never>;
  /** Null: a global role. */
  organization_id: string | null;
  name: string;
  slug: string;
  description: string | null;
  /** Permissions of the product and of the service, sorted. */
  permissions: string[];
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface SchemaMigrations {
  version: ColumnType<number, number, never>;
  name: string;
  applied_at: Date;
}

export interface ServiceAccountRoles {
  service_account_id: string;
  role_id: string;
}

export interface ServiceAccounts {
  id: ColumnType<string, string, never>;
  organization_id: string;
  name: string;
  description: string | null;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
  disabled_at: Date | null;
  deleted_at: Date | null;
}

export interface Sessions {
  id: ColumnType<string, string, never>;
  user_id: string;
  organization_id: string;
  auth_method: ColumnTypes['sessions.auth_method'];
  aal: 'aal1' | 'aal2';
  auth_time: Date;
  mfa_verified_at: Date | null;
  created_at: Date;
  last_used_at: Date;
  /** Slides with each rotation, up to SESSION_MAX_AGE after created_at. */
  expires_at: Date;
  /** The expiry of the family's last access token. A revocation stays in the feed until then. */
  access_expires_at: Date;
  ip_address: string | null;
  user_agent: string | null;
  revoked_at: Date | null;
  /** The family's only unused refresh token. */
  refresh_jti: string | null;
  /** Null: unknown; the session was opened by the previous version. */
  first_factor: ColumnTypes['sessions.first_factor'] | null;
  /** `password`, and ids of passkeys and identities, that the session has proved or added. See `unproven.ts`. */
  own_credentials: Generated<string[]>;
  /** The policy requires a second factor that the session does not have. */
  restricted: Generated<boolean>;
  /** The trusted browser that replaced the second factor. */
  trusted_browser_id: string | null;
  /** The connection that opened the session, which then belongs to the organization alone. */
  connection_id: string | null;
}

export interface SigningKeys {
  kid: ColumnType<string, string, never>;
  public_jwk: ColumnType<ColumnTypes['signing_keys.public_jwk'], string, string>;
  sealed_private_key: string | null;
  created_at: Date;
  signs_from: Date;
  /** Null while no successor is planned. */
  published_until: Date | null;
  /** Signs the access tokens of restricted sessions, and is never published. Null until one is needed. */
  restricted_jwk: ColumnType<ColumnTypes['signing_keys.restricted_jwk'] | null, string | null, string | null>;
  sealed_restricted_key: string | null;
  /** Made while there were other keys of which JWT_SECRET could open none. */
  replaces_sealed: Generated<boolean>;
}

export interface SsoConnectionRoles {
  connection_id: string;
  role_id: string;
}

export interface SsoConnections {
  id: ColumnType<string, string, never>;
  organization_id: string;
  name: string;
  issuer: string;
  client_id: string;
  /** Null: not set, or cleared by a change of the issuer. */
  sealed_secret: string | null;
  create_members: boolean;
  default_role: 'member' | 'admin';
  trust_idp_mfa: boolean;
  active: Generated<boolean>;
  /** The last passed test since the last change of issuer, client or secret. */
  tested_at: Date | null;
  last_test: ColumnType<ColumnTypes['sso_connections.last_test'] | null, string | null, string | null>;
  created_at: Date;
  deleted_at: Date | null;
}

export interface SsoIdentities {
  id: ColumnType<string, string, never>;
  connection_id: string;
  user_id: string;
  subject: string;
  /** The email that the provider sent at the last sign-in. */
  email: string;
  linked_at: Date;
  last_used_at: Date | null;
}

export interface TotpSecrets {
  user_id: ColumnType<string, string, never>;
  sealed_secret: string;
  created_at: Date;
  /** Null once a first code was verified. */
  pending_until: Date | null;
  used_steps: Generated<number[]>;
}

export interface TrustedBrowsers {
  id: ColumnType<string, string, never>;
  user_id: string;
  /** Null once revoked. */
  token_hash: Buffer | null;
  name: string;
  user_agent: string | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date;
  revoked_at: Date | null;
}

export interface Turns {
  name: ColumnType<string, string, never>;
  taken_until: Date;
}

export interface UserCounts {
  status: ColumnTypes['user_counts.status'];
  delta: number;
}

export interface UserLogins {
  user_id: ColumnType<string, string, never>;
  last_login_at: Date | null;
}

export interface Users {
  id: ColumnType<string, string, never>;
  email: string;
  email_verified_at: Date | null;
  display_name: string | null;
  locale: string | null;
  status: 'active' | 'disabled' | 'deleted';
  platform_role: 'viewer' | 'admin' | 'owner' | null;
  created_at: Date;
  updated_at: Date;
  /** Null: the user has no password. */
  password_hash: string | null;
  last_password_change_at: Date | null;
  last_login_at: Date | null;
  /** The organization of the next sign-in that names none. */
  last_organization_id: string | null;
  mfa_enabled_at: Date | null;
  avatar_id: string | null;
}

export interface WebhookDeliveries {
  id: ColumnType<string, string, never>;
  webhook_id: string;
  event_id: string;
  /** Null: a test event. */
  audit_id: number | null;
  event_at: Date;
  type: string;
  status: Generated<ColumnTypes['webhook_deliveries.status']>;
  attempts: Generated<number>;
  /** Attempts before the last manual retry. */
  attempts_before: Generated<number>;
  last_status: number | null;
  last_error: string | null;
  last_attempt_at: Date | null;
  /** While an attempt is running: the end of its lease. */
  next_attempt_at: Date;
  created_at: Date;
  delivered_at: Date | null;
}

export interface WebhookSecrets {
  id: ColumnType<string, string, never>;
  webhook_id: string;
  sealed_secret: string;
  created_at: Date;
  /** Null: the current secret. */
  expires_at: Date | null;
}

export interface WebhookSpans {
  webhook_id: string;
  /** The transaction that enabled the webhook. Its own events do not belong to the span. */
  opened_by: ColumnType<string, never, never>;
  since: Generated<string>;
  until: string | null;
}

export interface Webhooks {
  id: ColumnType<string, string, never>;
  /** Null: one of the platform's own. */
  organization_id: string | null;
  url: string;
  description: string;
  events: string[];
  enabled: boolean;
  disabled_reason: ColumnTypes['webhooks.disabled_reason'] | null;
  /** The first failed attempt since the last successful one. */
  failing_since: Date | null;
  created_by: string;
  created_at: Date;
  deleted_at: Date | null;
}
