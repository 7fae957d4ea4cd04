import type { AuthMethod, OAuthProvider, Policy, Provider } from '@gatehouse/contract';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { Fixed } from './column-types.ts';
import type {
  ApplicationConsents,
  ApplicationGrants,
  ApplicationSecrets,
  Applications,
  Interactions,
} from './schema-applications.ts';
import type { MfaTokens, PasskeyChallenges, Passkeys, RecoveryCodes, TotpSecrets } from './schema-factors.ts';
import type { ApiKeys, ServiceAccountRoles, ServiceAccounts } from './schema-machines.ts';
import type { MemberRoles, Permissions, Refreshes, Roles } from './schema-roles.ts';
import type { Domains, SsoConnectionRoles, SsoConnections, SsoIdentities } from './schema-sso.ts';
import type { EventStream, WebhookDeliveries, WebhookSecrets, WebhookSpans, Webhooks } from './schema-webhooks.ts';

/** The tables for Kysely. Columns are in snake_case, also in the JSON of the API: nothing renames them. */
export interface Schema {
  api_keys: ApiKeys;
  application_consents: ApplicationConsents;
  application_grants: ApplicationGrants;
  application_keys: SigningKeys;
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
  oauth_states: OAuthStates;
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
  turns: Leases;
  user_counts: UserCounts;
  user_logins: UserLogins;
  users: Users;
  webhook_deliveries: WebhookDeliveries;
  webhook_secrets: WebhookSecrets;
  webhook_spans: WebhookSpans;
  webhooks: Webhooks;
}

/** What a sign-in began with; a second factor may follow. */
export type FirstFactor = Exclude<AuthMethod, 'password_with_mfa'>;

interface SchemaMigrations {
  version: number;
  name: string;
  applied_at: Date;
}

export interface AuditEvents {
  id: ColumnType<number, never, never>;
  event_id: Fixed<string>;
  timestamp: Fixed<Date>;
  organization_id: Fixed<string>;
  actor_id: Fixed<string | null>;
  actor_type: Fixed<string>;
  action: Fixed<string>;
  resource_type: Fixed<string>;
  resource_id: Fixed<string>;
  ip_address: Fixed<string | null>;
  user_agent: Fixed<string | null>;
  request_id: Fixed<string | null>;
  metadata: ColumnType<Record<string, unknown>, string, never>;
  outcome: Fixed<string>;
  /** Null: written by the previous version. See `visibilityOf`. */
  visibility: Fixed<'full' | 'redacted' | 'hidden' | null>;
  xid: ColumnType<string, never, never>;
}

interface BusEvents {
  id: ColumnType<number, never, never>;
  topic: Fixed<string>;
  key: Fixed<string>;
  created_at: Fixed<Date>;
  xid: ColumnType<string, never, never>;
}

export interface Mails {
  id: Fixed<string>;
  template: Fixed<string>;
  locale: Fixed<string>;
  /** Recipient and parameters, sealed; null once sent, failed or expired. */
  sealed: string | null;
  state: 'queued' | 'sent' | 'failed' | 'expired';
  attempts: Generated<number>;
  next_attempt_at: Date;
  /** A mail with a token is dropped when the token expires, or earlier if it is voided. */
  expires_at: Date;
  created_at: Fixed<Date>;
  finished_at: Date | null;
  last_error: string | null;
  /** For an address without an account: discarded by the worker. */
  discard: ColumnType<boolean, boolean | undefined, never>;
}

interface Organizations {
  id: Fixed<string>;
  name: string;
  slug: string;
  created_at: Fixed<Date>;
  suspended_at: Date | null;
  /** Null: every rule has its default. */
  policy: ColumnType<Policy | null, string | null | undefined, string | null>;
}

export interface Users {
  id: Fixed<string>;
  email: string;
  email_verified_at: Date | null;
  display_name: string | null;
  locale: string | null;
  status: 'active' | 'disabled' | 'deleted';
  platform_role: 'viewer' | 'admin' | 'owner' | null;
  created_at: Fixed<Date>;
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

export interface Memberships {
  organization_id: Fixed<string>;
  user_id: Fixed<string>;
  role: 'owner' | 'admin' | 'member';
  joined_at: Date;
  revoked_at: Date | null;
  /** The email of the user when the membership ended. */
  revoked_email: string | null;
}

export interface Sessions {
  id: Fixed<string>;
  user_id: Fixed<string>;
  organization_id: Fixed<string>;
  auth_method: Fixed<AuthMethod>;
  /** Null: unknown; the session was opened by the previous version. */
  first_factor: ColumnType<FirstFactor | null, FirstFactor | null | undefined, never>;
  /** `password`, and ids of passkeys and identities, that the session has proved or added. See `unproven.ts`. */
  own_credentials: Generated<string[]>;
  /** The policy requires a second factor that the session does not have. */
  restricted: Generated<boolean>;
  /** The trusted browser that replaced the second factor. */
  trusted_browser_id: ColumnType<string | null, string | null | undefined, never>;
  /** The connection that opened the session, which then belongs to the organization alone. */
  connection_id: ColumnType<string | null, string | null | undefined, never>;
  aal: 'aal1' | 'aal2';
  auth_time: Fixed<Date>;
  mfa_verified_at: Date | null;
  created_at: Fixed<Date>;
  last_used_at: Date;
  /** Slides with each rotation, up to SESSION_MAX_AGE after created_at. */
  expires_at: Date;
  /** The expiry of the family's last access token. A revocation stays in the feed until then. */
  access_expires_at: Date;
  ip_address: Fixed<string | null>;
  user_agent: Fixed<string | null>;
  revoked_at: Date | null;
  /** The family's only unused refresh token. */
  refresh_jti: string | null;
}

interface RefreshUses {
  jti: Fixed<string>;
  used_at: Fixed<Date>;
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

export interface TrustedBrowsers {
  id: Fixed<string>;
  user_id: Fixed<string>;
  /** Null once revoked. */
  token_hash: Buffer | null;
  name: string;
  user_agent: Fixed<string | null>;
  created_at: Fixed<Date>;
  last_used_at: Date | null;
  expires_at: Fixed<Date>;
  revoked_at: Date | null;
}

interface Avatars {
  id: Fixed<string>;
  user_id: Fixed<string>;
  image: Fixed<Buffer>;
  created_at: Fixed<Date>;
}

interface Milestones {
  name: Fixed<string>;
  reached_at: Fixed<Date>;
}

interface Revocations {
  sid: Fixed<string>;
  revoked_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  /** The transaction that wrote the row, filled in by the database; null in rows from before 0.2. */
  xid: ColumnType<string | null, never, never>;
}

interface SigningKeys {
  kid: Fixed<string>;
  public_jwk: JSONColumnType<{ n: string; e: string }>;
  sealed_private_key: string | null;
  /** Signs the access tokens of restricted sessions, and is never published. Null until one is needed. */
  restricted_jwk: ColumnType<{ n: string; e: string } | null, string | null | undefined, string | null>;
  sealed_restricted_key: ColumnType<string | null, string | null | undefined, string | null>;
  created_at: Fixed<Date>;
  signs_from: Fixed<Date>;
  /** Null while no successor is planned. */
  published_until: Date | null;
  /** Made while there were other keys of which JWT_SECRET could open none. */
  replaces_sealed: Generated<boolean>;
}

/** A process that serves the database, while it runs. */
interface Replicas {
  id: Fixed<string>;
  /** The key that it signs access tokens with. */
  kid: string;
  /** By the clock of the database. */
  seen_at: Date;
}

interface RateCounters {
  key: Buffer;
  count: number;
  resets_at: Date;
}

interface Identities {
  id: Fixed<string>;
  user_id: Fixed<string>;
  provider: Fixed<OAuthProvider>;
  issuer: Fixed<string>;
  /** Null once revoked, like the email. */
  subject: string | null;
  email: string | null;
  linked_at: Fixed<Date>;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

interface OAuthStates {
  id: Fixed<Buffer>;
  expires_at: Fixed<Date>;
}

interface ProviderConfigs {
  provider: Fixed<Provider>;
  enabled: boolean;
  public_config: ColumnType<Record<string, string>, string, string>;
  sealed_secret: string | null;
  updated_at: Date;
}

interface UserCounts {
  status: Fixed<Users['status']>;
  delta: Fixed<number>;
}

/** Maintained by triggers on `users`. */
interface UserLogins {
  user_id: Fixed<string>;
  last_login_at: Fixed<Date | null>;
}

interface PasswordCounts {
  /** The text before the salt; empty for our own parameters. */
  head: Fixed<string>;
  delta: Fixed<number>;
}

export interface Invitations {
  id: Fixed<string>;
  organization_id: Fixed<string>;
  email: Fixed<string>;
  role: Fixed<Memberships['role']>;
  /** Null: a service account sent it. */
  inviter_id: string | null;
  /** The address at the time of sending. */
  inviter_email: string;
  token_hash: Buffer;
  created_at: Fixed<Date>;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
  closed_at: Date | null;
  /** The sender, if it is not a user. Null again some time after the account was deleted. */
  service_account_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** Roles besides `role`; some may have been deleted since. */
  role_ids: Generated<string[]>;
}

interface FeatureFlags {
  flag_key: Fixed<string>;
  /** Null: the default for every organization. */
  organization_id: Fixed<string | null>;
  enabled: boolean;
  value: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  updated_at: Date;
}

interface AuditHours {
  /** Empty: all actions together. */
  action: Fixed<string>;
  hour: Fixed<Date>;
  count: number;
  sign_ins: number;
  failed_sign_ins: number;
  least_id: number;
  greatest_id: number;
}

interface AuditMark {
  only_one: Generated<boolean>;
  counted_before: string;
  counted_to: number;
}

interface Imports {
  export_id: Fixed<string>;
  file: Fixed<string>;
  lines: number;
  finished_at: Date | null;
}

interface Leases {
  name: Fixed<string>;
  taken_until: Date;
}

interface ForeignHashKeys {
  id: Fixed<string>;
  sealed_key: string;
  created_at: Fixed<Date>;
}
