// Made from the schemas of the service by wire.test.ts; do not edit.

export type ErrorCode = 'authentication_required' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_input' | 'rate_limited' | 'mfa_required' | 'license_required' | 'internal_error' | 'csrf_failed' | 'payment_required';

export type StepUp = 'second_factor' | 'sign_in' | 'enroll';

export type OAuthProvider = 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';

export type Provider = 'email_transport' | 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';

export type Aal = 'aal1' | 'aal2';

export type AuthMethod = 'password' | 'passkey' | 'social_oauth' | 'password_with_mfa' | 'email_otp' | 'sso';

export type AnyAuthMethod = 'password' | 'passkey' | 'social_oauth' | 'password_with_mfa' | 'email_otp' | 'sso' | 'api_key';

export interface AccountDeletion {
  password?: string;
}

export interface AccountExport {
  exported_at: string;
  user: User;
  memberships: Array<{
    organization_id: string;
    organization_name: string;
    organization_slug: string;
    role: 'owner' | 'admin' | 'member';
    joined_at: string;
    roles: Array<RoleSummary>;
    /** When it ended. */
    revoked_at: string | null;
    /** The email of the user when it ended. */
    revoked_email: string | null;
  }>;
  sessions: Array<{
    id: string;
    organization_id: string;
    auth_method: AuthMethod;
    aal: Aal;
    created_at: string;
    last_used_at: string;
    expires_at: string;
    ip_address: string | null;
    user_agent: string | null;
    /** When it ended. Ended records are kept for 90 days. */
    revoked_at: string | null;
  }>;
  passkeys: Array<{
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
    device_type: 'singleDevice' | 'multiDevice';
    backed_up: boolean;
    transports: Array<string>;
    aaguid: string;
    /** The domain that it belongs to. */
    rp_id: string;
    /** False: it belongs to a former domain of the service and cannot be used to sign in. */
    usable: boolean;
    /** When it ended. Ended records are kept for 90 days. */
    revoked_at: string | null;
  }>;
  identities: Array<{
    id: string;
    provider: 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';
    email: string | null;
    linked_at: string;
    last_used_at: string | null;
    /** When it ended. Ended records are kept for 90 days. */
    revoked_at: string | null;
  }>;
  sso_identities: Array<{
    id: string;
    connection_id: string;
    connection_name: string;
    organization_id: string;
    /** The id of the user at the provider. */
    subject: string;
    /** The email that the provider sent at the last sign-in. */
    email: string;
    linked_at: string;
    last_used_at: string | null;
  }>;
  trusted_browsers: Array<{
    id: string;
    name: string;
    user_agent: string | null;
    created_at: string;
    last_used_at: string | null;
    expires_at: string;
    /** When it ended. Ended records are kept for 90 days. */
    revoked_at: string | null;
  }>;
  applications: Array<{
    id: string;
    client_id: string;
    name: string;
    /** Sorted. */
    scopes: Array<string>;
    granted_at: string;
    last_used_at: string | null;
    /** When it ended. Ended records are kept for 90 days. */
    revoked_at: string | null;
    grants: Array<{
      id: string;
      organization_id: string;
      scopes: Array<string>;
      created_at: string;
      last_used_at: string | null;
      ended_at: string | null;
    }>;
  }>;
  /** Invitations that the user sent and, once the email is verified, those sent to that email. */
  invitations: Array<Invitation>;
  /** Events of which the user is the actor: the newest 10,000, newest first. */
  audit_logs: Array<AuditRow>;
}

export interface ApplicationSecret {
  id: string;
  created_at: string;
  /** Null: it does not expire. */
  expires_at: string | null;
}

export interface Application {
  id: string;
  client_id: string;
  name: string;
  kind: 'web' | 'spa' | 'native';
  redirect_uris: Array<string>;
  post_logout_redirect_uris: Array<string>;
  backchannel_logout_uri: string | null;
  /** The scopes that it may request. Sorted. */
  scopes: Array<string>;
  /** The APIs for which it may request tokens. */
  resources: Array<string>;
  /** Users are not asked for consent. */
  trusted: boolean;
  device_flow: boolean;
  /** Only members of this organization can use it. Null: all users can. */
  organization_id: string | null;
  enabled: boolean;
  /** Secrets that have not expired, oldest first. */
  secrets: Array<ApplicationSecret>;
  created_at: string;
}

export interface ApplicationList {
  items: Array<Application>;
}

export interface NewApplication {
  name: string;
  kind: 'web' | 'spa' | 'native';
  redirect_uris?: Array<string>;
  post_logout_redirect_uris?: Array<string>;
  backchannel_logout_uri?: string | null;
  scopes?: Array<string>;
  resources?: Array<string>;
  trusted?: boolean;
  device_flow?: boolean;
  organization_id?: string | null;
  enabled?: boolean;
}

export interface ApplicationChange {
  name?: string;
  redirect_uris?: Array<string>;
  post_logout_redirect_uris?: Array<string>;
  backchannel_logout_uri?: string | null;
  scopes?: Array<string>;
  resources?: Array<string>;
  trusted?: boolean;
  device_flow?: boolean;
  organization_id?: string | null;
  enabled?: boolean;
}

export interface NewApplicationSecret {
  expires_at?: string | null;
}

export interface CreatedApplicationSecret {
  id: string;
  created_at: string;
  /** Null: it does not expire. */
  expires_at: string | null;
  /** Shown only once. */
  secret: string;
}

export interface ConnectedApplication {
  id: string;
  client_id: string;
  name: string;
  /** Sorted. */
  scopes: Array<string>;
  granted_at: string;
  last_used_at: string | null;
}

export interface ConnectedApplicationList {
  items: Array<ConnectedApplication>;
}

export interface AuditRow {
  id: number;
  event_id: string;
  timestamp: string;
  organization_id: string;
  actor_id: string | null;
  actor_type: string;
  action: string;
  resource_type: string;
  resource_id: string;
  ip_address: string | null;
  user_agent: string | null;
  request_id: string | null;
  metadata: Record<string, unknown>;
  outcome: string;
}

export interface AuditExportQuery {
  /** Only events at or after this time. */
  from?: string;
  /** Only events at or before this time. */
  to?: string;
}

export interface OrganizationAuditQuery {
  /** Only events of which this user is the actor. */
  user_id?: string;
  /** Only events with exactly this action. */
  action?: string;
  /** Only events at or after this time. */
  from?: string;
  /** Only events at or before this time. */
  to?: string;
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 100; default 25. */
  page_size?: string | number;
}

export interface AuditQuery {
  /** Only events of which this user is the actor. */
  user_id?: string;
  /** Only events with exactly this action. */
  action?: string;
  /** Only events of this organization. */
  organization_id?: string;
  /** Only events with exactly this outcome. */
  outcome?: string;
  /** Only events about this kind of resource. */
  resource_type?: string;
  /** Only events about the resource with exactly this id. */
  resource_id?: string;
  /** Only events at or after this time. */
  from?: string;
  /** Only events at or before this time. */
  to?: string;
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 100; default 25. */
  page_size?: string | number;
}

export interface AuditPage {
  items: Array<AuditRow>;
  total: number;
  page: number;
  page_size: number;
}

export interface AvatarResponse {
  avatar_url: string;
}

export interface Domain {
  id: string;
  /** Lower-case, with A-labels. */
  domain: string;
  status: 'pending' | 'verified';
  /** The DNS record that proves the ownership of the domain. */
  record: {
    type: 'TXT';
    name: string;
    value: string;
  };
  verified_at: string | null;
  /** When the DNS last answered a look-up of the record, whether or not the record was found. */
  checked_at: string | null;
  /** The first daily check that failed since the record was last found. Null: the last one succeeded. */
  failing_since: string | null;
}

export interface DomainList {
  items: Array<Domain>;
}

export interface NewDomain {
  /** A domain name. Upper-case and non-ASCII letters are converted (IDNA). */
  domain: string;
}

/** The body of every error response. Switch on `code`. */
export interface ErrorBody {
  error: {
    code: 'authentication_required' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_input' | 'rate_limited' | 'mfa_required' | 'license_required' | 'internal_error' | 'csrf_failed' | 'payment_required';
    message: string;
    type: string;
  };
}

export interface FeatureFlag {
  flag_key: string;
  /** Null: the default for every organization. */
  organization_id: string | null;
  enabled: boolean;
  /** Any object of at most 16384 bytes as JSON and 32 levels, or null. */
  value: Record<string, unknown> | null;
}

export interface FlagChange {
  flag_key: string;
  /** Null: the default for every organization. */
  organization_id?: string | null;
  enabled: boolean;
  /** Any object of at most 16384 bytes as JSON and 32 levels, or null. */
  value?: Record<string, unknown> | null;
}

export interface FlagState {
  enabled: boolean;
  /** Any object of at most 16384 bytes as JSON and 32 levels, or null. */
  value: Record<string, unknown> | null;
}

export type FlagMap = Record<string, FlagState>;

export interface FlagScope {
  organization_id?: string;
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  /** The version of the service. */
  version: string;
  checks: {
    database: 'ok' | 'failed';
    migrations: 'ok' | 'failed';
    /** `other_secret`: JWT_SECRET could not decrypt the keys of the database, so it signs with new ones. */
    signing_key: 'ok' | 'failed' | 'other_secret';
    mail: 'ok' | 'failed';
  };
  error?: {
    code: 'authentication_required' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_input' | 'rate_limited' | 'mfa_required' | 'license_required' | 'internal_error' | 'csrf_failed' | 'payment_required';
    message: string;
    type: string;
  };
  provider_config: {
    degraded: boolean;
    providers: Array<string>;
    reasons?: Record<string, string>;
  };
}

export interface Interaction {
  id: string;
  kind: 'sign_in' | 'mfa' | 'consent' | 'organization' | 'device' | 'logout';
  application: {
    client_id: string;
    name: string;
  } | null;
  scopes: Array<string>;
  /** The organizations that the user can choose; the one of the session first. */
  organizations: Array<{
    id: string;
    name: string;
  }>;
  /** The client address of the request. */
  requested_from: string | null;
  requested_at: string;
  expires_at: string;
  /** For the kind `sign_in`: the user must sign in again, even if a session exists. */
  reauthenticate: boolean;
  /** The email address that the application expects. */
  login_hint: string | null;
}

export interface InteractionDecision {
  decision: 'allow' | 'deny';
  organization_id?: string;
}

export interface InteractionResult {
  /** Where the browser goes next: to the application, or to the page of the next step. */
  redirect_to: string | null;
}

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired';

export interface Invitation {
  id: string;
  organization_id: string;
  email: string;
  role: MemberRole;
  status: InvitationStatus;
  inviter_email: string;
  created_at: string;
  expires_at: string;
  /** Roles that the new member gets besides `role`. Deleted roles are left out. */
  role_ids: Array<string>;
}

export interface InvitationList {
  items: Array<Invitation>;
  total: number;
  page: number;
  page_size: number;
}

export interface InvitationQuery {
  status?: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 1000; default 1000. */
  page_size?: string | number;
}

export interface InvitationRequest {
  email: string;
  role: MemberRole;
  /** Global roles, and roles of this organization. */
  role_ids?: Array<string>;
}

export interface InvitationPreview {
  organization_name: string;
  role: MemberRole;
  inviter_email: string;
  email: string;
  expires_at: string;
}

export interface InvitationToken {
  token: string;
}

export interface InvitationAcceptRequest {
  token: string;
  password?: string;
  display_name?: string;
  /** The language of the new account, as a BCP 47 tag. Unusable or omitted: `Accept-Language` decides. */
  locale?: unknown;
}

export interface InvitationAccepted {
  status: 'accepted';
  organization_id: string;
  role: MemberRole;
}

export type InvitationAcceptResponse = LoginSuccess | InvitationAccepted;

export type UnprovenCredential = 'identity' | 'passkey' | 'password' | 'totp';

export interface SessionUser {
  user_id: string;
  organization_id: string;
  email: string;
  email_verified: boolean;
  display_name: string | null;
  auth_method: AnyAuthMethod;
  aal: Aal;
  session_family_id: string;
  mfa_verified_at: string | null;
  scopes: Array<string>;
  allowed_ips: Array<string>;
  allowed_referrers: Array<string>;
  extensions: {
    /** Present if the policy of the organization requires a second factor that this session does not have. Until it is set up or verified, only a few endpoints accept the session, and local verifiers reject its access token. */
    restricted?: 'mfa_enrollment' | 'mfa_verification';
    /** Present in a session of single sign-on: the connection that opened it. Such a session belongs to the organization and cannot change the account. */
    connection_id?: string;
    /** After a sign-in with an emailed code, if the email is not verified: the credentials that this session has neither used nor added. Sorted. */
    unproven_credentials?: Array<UnprovenCredential>;
    /** Present exactly if `unproven_credentials` is: when and with which device the account was created. */
    account?: {
      created_at: string;
      /** The browser and operating system that registered it; null if unknown. */
      device: string | null;
    };
  };
}

export interface Capabilities {
  role: 'owner' | 'admin' | 'member' | 'machine';
  /** The slugs of the roles besides `role`. Sorted. */
  roles: Array<string>;
  /** What `role` and `roles` allow, in the service and in the product. Sorted. */
  permissions: Array<string>;
  platform_role: 'viewer' | 'admin' | 'owner' | null;
}

export interface LoginSuccess {
  status: 'success';
  user: SessionUser;
  capabilities: Capabilities;
  /** A JWT with the claims `AccessTokenClaims`. */
  access_token: string;
  /** Seconds until the access token expires. */
  expires_in: number;
}

export interface MfaRequired {
  status: 'mfa_required';
  /** Valid only for the MFA challenge. */
  mfa_token: string;
  /** Seconds. */
  mfa_token_expires_in: number;
}

export type LoginResponse = LoginSuccess | MfaRequired;

export interface ServiceAccount {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  /** What it may do besides `org.read` and `members.list`. */
  roles: Array<RoleSummary>;
  /** True: its keys and their tokens are rejected. */
  disabled: boolean;
  /** The user who created it. */
  created_by: string;
  created_at: string;
  /** When one of its keys was last used, to about a minute. Null: never. */
  last_used_at: string | null;
}

export interface ServiceAccountList {
  items: Array<ServiceAccount>;
}

export interface NewServiceAccount {
  name: string;
  description?: string | null;
  /** Global roles, and roles of this organization. */
  role_ids?: Array<string>;
}

export interface ServiceAccountChange {
  name?: string;
  description?: string | null;
  /** Global roles, and roles of this organization. */
  role_ids?: Array<string>;
  /** True: its keys and their tokens are rejected at once. False: its keys work again. */
  disabled?: boolean;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The public part of the key, and the client id at the token endpoint. */
  prefix: string;
  /** The permissions that the key is limited to. Sorted. Null: everything the account may do. */
  scopes: Array<string> | null;
  /** Addresses and networks from which the key may be used. Empty: all. */
  allowed_ips: Array<string>;
  /** Origins whose pages may use the key, according to `Origin` or `Referer`. Empty: all. */
  allowed_referrers: Array<string>;
  created_at: string;
  /** When the key expires: the earlier of its own expiry and the end of the overlap after a rotation. Null: never. */
  expires_at: string | null;
  /** When the key was last used, to about a minute. Null: never. */
  last_used_at: string | null;
}

export interface ApiKeyList {
  items: Array<ApiKey>;
}

export interface CreatedApiKey {
  id: string;
  name: string;
  /** The public part of the key, and the client id at the token endpoint. */
  prefix: string;
  /** The permissions that the key is limited to. Sorted. Null: everything the account may do. */
  scopes: Array<string> | null;
  /** Addresses and networks from which the key may be used. Empty: all. */
  allowed_ips: Array<string>;
  /** Origins whose pages may use the key, according to `Origin` or `Referer`. Empty: all. */
  allowed_referrers: Array<string>;
  created_at: string;
  /** When the key expires: the earlier of its own expiry and the end of the overlap after a rotation. Null: never. */
  expires_at: string | null;
  /** When the key was last used, to about a minute. Null: never. */
  last_used_at: string | null;
  /** The key itself. It is shown only in this response. */
  key: string;
}

export interface NewApiKey {
  name: string;
  /** Permissions of the account. Left out: all that the account has at the time of use. */
  scopes?: Array<string> | null;
  /** In the future. Left out: the key does not expire. */
  expires_at?: string | null;
  /** Addresses, or networks in CIDR notation. */
  allowed_ips?: Array<string>;
  /** Origins: scheme, host and port. */
  allowed_referrers?: Array<string>;
}

export interface ApiKeyRotation {
  /** How long the old key still works. Left out: it ends at once. */
  overlap_seconds?: number;
}

export type MemberRole = 'owner' | 'admin' | 'member';

export interface Member {
  user_id: string;
  email: string;
  display_name: string | null;
  avatar_url: string | null;
  role: MemberRole;
  status: 'active' | 'disabled' | 'deleted';
  mfa_enabled: boolean;
  joined_at: string;
  /** Besides the base role in `role`. Sorted by slug. */
  roles: Array<RoleSummary>;
}

export interface MemberList {
  items: Array<Member>;
  total: number;
  page: number;
  page_size: number;
}

export interface MemberQuery {
  /** Part of the email or the display name. Blank lists all. */
  q?: string;
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 1000; default 1000. */
  page_size?: string | number;
}

export interface MemberChange {
  role: MemberRole;
}

export interface MfaStatus {
  enabled: boolean;
  enabled_at: string | null;
  recovery_codes_remaining: number;
  mfa_verified_at: string | null;
}

export interface MfaSetup {
  /** Base32, for apps that cannot scan the QR code */
  secret: string;
  otpauth_url: string;
  /** `otpauth_url` as a QR code: an SVG data URI */
  qr_code: string;
}

export interface MfaEnableRequest {
  /** Six digits from an authenticator app */
  code: string;
}

export interface MfaEnabled {
  /** 10 codes, each usable once. They are returned only here. */
  recovery_codes: Array<string>;
  mfa_verified_at: string;
  access_token: string;
  expires_in: number;
}

/** Omit it only if the account has no password; then a sign-in or second factor within the last 5 minutes is required. */
export interface PasswordConfirmation {
  password?: string;
}

export interface RecoveryCodes {
  /** 10 codes, each usable once. They are returned only here. */
  recovery_codes: Array<string>;
}

/** Exactly one of the two fields. */
export interface MfaVerifyRequest {
  /** Six digits from an authenticator app */
  code?: string | null;
  /** A recovery code; case and hyphens are ignored */
  recovery_code?: string | null;
}

export interface MfaVerified {
  mfa_verified_at: string;
  access_token: string;
  expires_in: number;
}

/** The token of an `mfa_required` response and exactly one of the two codes. */
export interface MfaChallengeRequest {
  mfa_token: string;
  /** Six digits from an authenticator app */
  code?: string | null;
  /** A recovery code; case and hyphens are ignored */
  recovery_code?: string | null;
}

export interface OAuthLinkRequest {
  redirect_to?: string;
}

export interface OAuthLinkStart {
  authorization_url: string;
}

export interface Identity {
  id: string;
  provider: 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';
  email: string | null;
  linked_at: string;
  last_used_at: string | null;
}

export interface IdentityList {
  items: Array<Identity>;
}

export interface IdentityLinked {
  status: 'linked';
  identity: Identity;
}

export type OAuthResult = LoginSuccess | MfaRequired | IdentityLinked;

export interface SignInOptions {
  password: boolean;
  passkey: boolean;
  email_otp: boolean;
  registration: boolean;
  oauth: Array<{
    provider: 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';
    name: string;
    start_url: string;
  }>;
}

export interface Organization {
  id: string;
  name: string;
  slug: string;
  created_at: string;
  /** True: users cannot sign in to it, and its sessions have ended. */
  suspended: boolean;
  /** Members, including disabled users. */
  member_count: number;
}

export interface OrganizationPage {
  items: Array<Organization>;
  total: number;
  page: number;
  page_size: number;
}

export interface OrganizationQuery {
  /** Part of the name or slug; blank lists all. */
  q?: string;
  /** Default: newest first. A leading `-` sorts in descending order. */
  sort?: 'created_at' | '-created_at' | 'name' | '-name';
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 100; default 25. */
  page_size?: string | number;
}

export interface NewOrganizationRequest {
  organization_name: string;
  organization_slug?: string;
  owner_email: string;
  owner_password: string;
  owner_display_name?: string;
}

export interface CreatedOrganization {
  organization_id: string;
  owner_user_id: string;
  slug: string;
}

export interface OrganizationChange {
  name?: string;
  /** True suspends, false restores. */
  suspended?: boolean;
}

export interface OwnOrganizationChange {
  name?: string;
  slug?: string;
}

export interface OwnOrganizationRequest {
  name: string;
  slug?: string;
}

export interface OverviewQuery {
  /** The period of the sign-in counts; default 24 hours. */
  range?: '24h' | '7d' | '30d';
}

export interface SignInPoint {
  /** The start of the hour or day, in UTC. */
  at: string;
  /** Sign-ins that opened a session: by password, passkey, emailed code, third party or single sign-on; with MFA, after the second factor. Registration with a password is not counted. */
  succeeded: number;
  /** Failed attempts at the first or the second factor that are in the audit trail. Attempts rejected by a rate limit are not audited. */
  failed: number;
}

export interface Overview {
  /** Active and disabled users; deleted ones are not counted. */
  users: number;
  /** Includes suspended organizations. */
  organizations: number;
  /** Sessions that have neither ended nor expired. */
  active_sessions: number;
  /** True: there are so many sessions (about a million) that `active_sessions` is an estimate of the database, not a count. */
  active_sessions_estimated: boolean;
  mail: {
    /** Waiting for the first attempt or a retry. */
    queued: number;
    /** Failed in the last 30 days: rejected, or all attempts failed. */
    failed: number;
    /** Not sent in the last 30 days because their content had expired. */
    expired: number;
  };
  sign_ins: {
    /** The interval of a point: hours for `24h`, otherwise days. */
    step: 'hour' | 'day';
    /** Oldest first: 24, 7 or 30 points. The last one is the current hour or day. */
    points: Array<SignInPoint>;
  };
}

export interface PasskeyOptions {
  /** Options for `navigator.credentials`: parse them with `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
  publicKey: Record<string, unknown>;
}

export interface PasskeyRegisterRequest {
  /** The result of `navigator.credentials.create`, as `toJSON()` returns it. */
  credential: Record<string, unknown>;
  name?: string;
}

export interface PasskeyRenameRequest {
  name: string;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
  device_type: 'singleDevice' | 'multiDevice';
  backed_up: boolean;
  transports: Array<string>;
  aaguid: string;
  /** The domain that it belongs to. */
  rp_id: string;
  /** False: it belongs to a former domain of the service and cannot be used to sign in. */
  usable: boolean;
}

export interface PasskeyList {
  items: Array<Passkey>;
}

export interface PasskeyLoginBeginRequest {
  email?: string;
}

export interface RelatedOrigins {
  origins: Array<string>;
}

export interface PasskeyLoginRequest {
  /** The result of `navigator.credentials.get`, as `toJSON()` returns it. */
  credential: Record<string, unknown>;
  organization_id?: string;
}

export type PolicyMethod = 'password' | 'passkey' | 'email_otp' | 'oauth' | 'sso';

export interface Policy {
  /** Sessions without a second factor are restricted until one is set up or verified. */
  require_mfa: boolean;
  /** The allowed first factors. Null: all. */
  allowed_methods: Array<PolicyMethod> | null;
  /** Counted from the sign-in. Null: only SESSION_MAX_AGE applies. */
  session_max_age_seconds: number | null;
  /** IP addresses and CIDR ranges from which sessions can be used. Empty: all. */
  allowed_networks: Array<string>;
  /** Members with an email in a verified domain of the organization must use single sign-on. */
  sso_required: boolean;
}

export interface PolicyChange {
  require_mfa?: boolean;
  allowed_methods?: Array<PolicyMethod> | null;
  session_max_age_seconds?: number | null;
  allowed_networks?: Array<string>;
  sso_required?: boolean;
}

export interface PolicyPreview {
  /** Active members. */
  members: number;
  /** Members without a second factor. */
  require_mfa: number;
  /** Members with an email in a verified domain of the organization. */
  sso_required: number;
  /** Members with a session that began with another first factor. */
  allowed_methods: number;
  /** Members with a session that is too old. */
  session_max_age_seconds: number;
  /** Members with a session that was opened from another address. */
  allowed_networks: number;
}

/** Present if the policy of the organization requires a second factor that this session does not have. Until it is set up or verified, only a few endpoints accept the session, and local verifiers reject its access token. */
export type Restriction = 'mfa_enrollment' | 'mfa_verification';

export interface ProviderView {
  provider: 'email_transport' | 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';
  /** The display name. */
  name: string;
  /** Whether the stored configuration is enabled. */
  enabled: boolean;
  public_config: Record<string, string>;
  secret_set: boolean;
  /** The ID of the key that encrypts the secret. */
  key_id: string | null;
  updated_at: string | null;
  /** The configuration is enabled but cannot be used. */
  degraded: boolean;
  degraded_reason: 'fields_missing' | 'secret_missing' | 'key_unset' | 'key_unknown' | 'secret_unreadable' | null;
  /** The source of the active configuration; null if the provider is off. */
  source: 'stored' | 'environment' | null;
  /** Register exactly this URL with the provider. */
  callback_url: string | null;
}

export interface ProviderList {
  /** Whether CONFIG_ENCRYPTION_KEY is set. */
  secrets_enabled: boolean;
  providers: Array<ProviderView>;
}

export interface ProviderChange {
  enabled: boolean;
  /** Replaces all stored fields. Unknown fields are ignored. */
  public_config?: Record<string, unknown>;
  /** At most 4096 bytes. Absent or null: the stored secret is kept. */
  secret?: string | null;
  clear_secret?: boolean;
}

export interface ProbeResult {
  ok: boolean;
  detail: string;
}

export interface Permission {
  name: string;
  description: string | null;
  created_at: string;
}

export interface PermissionList {
  items: Array<Permission>;
}

export interface PermissionChange {
  description?: string | null;
}

export interface RoleSummary {
  id: string;
  slug: string;
  name: string;
}

export interface Role {
  id: string;
  /** Null: a global role, which every organization can assign. */
  organization_id: string | null;
  name: string;
  slug: string;
  description: string | null;
  /** Sorted. */
  permissions: Array<string>;
  created_at: string;
  updated_at: string;
}

export interface RoleList {
  items: Array<Role>;
}

export interface NewRole {
  name: string;
  slug?: string;
  description?: string | null;
  permissions?: Array<string>;
}

export interface RoleChange {
  name?: string;
  slug?: string;
  description?: string | null;
  permissions?: Array<string>;
}

/** Global roles, and roles of this organization. */
export type RoleIds = Array<string>;

export interface MemberRolesChange {
  /** Global roles, and roles of this organization. */
  role_ids: RoleIds;
}

export interface RefreshResponse {
  access_token: string;
  expires_in: number;
}

export interface CurrentSession {
  user: SessionUser;
  capabilities: Capabilities;
}

export interface OrganizationSwitchRequest {
  organization_id: string;
}

export interface SessionItem {
  id: string;
  current: boolean;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  /** The browser and operating system, derived from the User-Agent header. */
  device: string;
  auth_method: AuthMethod;
  aal: Aal;
  organization_id: string;
}

export interface SessionList {
  items: Array<SessionItem>;
}

export interface SetupState {
  /** Whether an active user has the platform role `owner`. */
  platform_owner: boolean;
}

export interface RegisterRequest {
  email: string;
  password: string;
  organization_name: string;
  organization_slug?: string;
  display_name?: string;
  /** The language of the new account, as a BCP 47 tag. Unusable or omitted: `Accept-Language` decides. */
  locale?: unknown;
}

export interface LoginRequest {
  email: string;
  password: string;
  organization_id?: string;
}

export interface AddressRequest {
  email: string;
}

export interface EmailCodeVerifyRequest {
  email: string;
  /** 6 digits */
  code: string;
  organization_id?: string;
}

export interface PasswordResetRequest {
  token: string;
  new_password: string;
  /** If the email is not verified: also remove the second factor, which someone else may have added. */
  disown?: boolean;
}

export interface PasswordResetPreviewRequest {
  token: string;
}

export interface PasswordResetPreview {
  email: string;
}

export interface EmailVerifyRequest {
  token: string;
  /** The account is not yours: remove its password, passkeys, identities, second factor and sessions. For a link of kind `change`: invalidate the link. */
  disown?: boolean;
}

export interface EmailVerifyPreviewRequest {
  token: string;
}

export interface EmailVerifyPreview {
  email: string;
  /** `change`: the email replaces the current one of the account. */
  kind: 'verification' | 'change';
  /** The account that the link belongs to. Absent for the kind `change`. */
  account?: {
    created_at: string;
    /** The browser and operating system that registered it; null if unknown. */
    device: string | null;
    /** Its email is not verified yet. */
    unproven: boolean;
    /** The credentials of the account. Sorted. */
    credentials: Array<UnprovenCredential>;
  };
}

export interface SsoTestResult {
  ok: boolean;
  /** What happened and what to do. Never contains part of a response of the provider. */
  detail: string;
}

export interface SsoConnection {
  id: string;
  kind: 'oidc';
  name: string;
  issuer: string;
  client_id: string;
  /** Whether a client secret is stored. It is never shown. */
  secret_set: boolean;
  /** The verified domains whose email addresses sign in with this connection. Sorted. */
  domains: Array<string>;
  /** Whether users of the provider become members at their first sign-in. */
  create_members: boolean;
  /** The base role of members that the connection adds. */
  default_role: 'member' | 'admin';
  /** Global roles, and roles of this organization. */
  role_ids: RoleIds;
  /** Whether a second factor at the provider (`amr` contains `mfa`) counts as one here. */
  trust_idp_mfa: boolean;
  /** `active`: users can sign in with it. */
  status: 'draft' | 'active';
  /** The redirect URI to register at the provider, exactly as it is. */
  callback_url: string;
  last_test: {
    ok: boolean;
    /** What happened and what to do. Never contains part of a response of the provider. */
    detail: string;
    at: string;
  } | null;
}

export interface SsoConnectionList {
  items: Array<SsoConnection>;
}

export interface NewSsoConnection {
  kind?: 'oidc';
  name: string;
  /** The issuer URL of the provider, exactly as in its metadata, which are read from `<issuer>/.well-known/openid-configuration`. */
  issuer: string;
  client_id: string;
  /** Stored encrypted and never returned. Null or omitted for a public client. */
  client_secret?: string | null;
  /** Verified domains of this organization. A domain belongs to one connection at most. */
  domains?: Array<string>;
  create_members?: boolean;
  /** The base role of members that the connection adds. */
  default_role?: 'member' | 'admin';
  /** Global roles, and roles of this organization. */
  role_ids?: Array<string>;
  trust_idp_mfa?: boolean;
}

export interface SsoConnectionChange {
  name?: string;
  /** The issuer URL of the provider, exactly as in its metadata, which are read from `<issuer>/.well-known/openid-configuration`. */
  issuer?: string;
  client_id?: string;
  /** Null removes the secret. A new issuer removes it too, unless a new secret is given with it. */
  client_secret?: string | null;
  /** Verified domains of this organization. A domain belongs to one connection at most. */
  domains?: Array<string>;
  create_members?: boolean;
  /** The base role of members that the connection adds. */
  default_role?: 'member' | 'admin';
  /** Global roles, and roles of this organization. */
  role_ids?: Array<string>;
  trust_idp_mfa?: boolean;
}

export interface SsoTestStart {
  /** The URL to open in the same browser. The response sets a cookie that the callback requires. */
  authorization_url: string;
}

export interface SsoDiscoverRequest {
  email: string;
}

export interface SsoDiscovery {
  connection: {
    id: string;
    name: string;
    /** Navigate to this URL to sign in. The parameters `redirect_to` and `login_hint` may be added. */
    start_url: string;
    /** The organization accepts no other sign-in method (`sso_required`). */
    required: boolean;
  } | null;
}

export interface SsoStartQuery {
  /** A path of the service, or a URL on an origin in REDIRECT_ORIGINS. Anything else is replaced by `/`. */
  redirect_to?: unknown;
  /** The email address, with which the provider may fill in its sign-in form. At most 320 characters. */
  login_hint?: unknown;
  /** The language of the new account, as a BCP 47 tag. Unusable or omitted: `Accept-Language` decides. */
  locale?: unknown;
}

export type SsoResult = LoginSuccess | MfaRequired | SsoTestResult;

export interface TrustBrowserRequest {
  name?: string;
}

export interface TrustedBrowser {
  id: string;
  name: string;
  user_agent: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string;
}

export interface TrustedBrowserList {
  items: Array<{
    id: string;
    name: string;
    user_agent: string | null;
    created_at: string;
    last_used_at: string | null;
    expires_at: string;
    current: boolean;
  }>;
}

export interface Membership {
  organization_id: string;
  organization_name: string;
  organization_slug: string;
  role: 'owner' | 'admin' | 'member';
  joined_at: string;
}

export interface User {
  id: string;
  email: string;
  email_verified: boolean;
  display_name: string | null;
  locale: string | null;
  avatar_url: string | null;
  status: 'active' | 'disabled' | 'deleted';
  has_password: boolean;
  mfa_enabled: boolean;
  platform_role: 'viewer' | 'admin' | 'owner' | null;
  created_at: string;
  updated_at: string;
  last_password_change_at: string | null;
  last_login_at: string | null;
  memberships: Array<Membership>;
}

export interface UserPage {
  items: Array<User>;
  total: number;
  page: number;
  page_size: number;
}

export interface UserQuery {
  /** Part of the email or name; blank lists all. */
  q?: string;
  /** Only members of this organization. */
  organization_id?: string;
  /** Only users with this status; default: all. */
  status?: 'active' | 'disabled' | 'deleted';
  /** Default: newest first. By `last_login_at`, users without a sign-in come last. A leading `-` sorts in descending order. */
  sort?: 'created_at' | '-created_at' | 'email' | '-email' | 'last_login_at' | '-last_login_at';
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 100; default 25. */
  page_size?: string | number;
}

export interface UserStatusChange {
  status: 'active' | 'disabled';
}

export interface PlatformRoleChange {
  /** null revokes the role. */
  role: 'viewer' | 'admin' | 'owner' | null;
}

export interface ProfileChange {
  display_name?: string | null;
  locale?: string | null;
}

export interface PasswordChangeRequest {
  current_password?: string;
  new_password: string;
}

export interface EmailChangeRequest {
  email: string;
  password?: string;
}

export interface LastDelivery {
  status: 'pending' | 'delivered' | 'failed';
  /** The HTTP status of the last attempt. Null: no response. */
  last_status: number | null;
  at: string;
}

export interface Webhook {
  id: string;
  url: string;
  description: string;
  events: Array<string>;
  enabled: boolean;
  created_at: string;
  /** Why the service has disabled the webhook. `gone`: the receiver responded with 410. `failing`: attempts have failed for 5 days without a success. */
  disabled_reason: 'gone' | 'failing' | null;
  last_delivery: LastDelivery | null;
}

export interface WebhookList {
  items: Array<Webhook>;
}

export interface WebhookWithSecret {
  id: string;
  url: string;
  description: string;
  events: Array<string>;
  enabled: boolean;
  created_at: string;
  /** Why the service has disabled the webhook. `gone`: the receiver responded with 410. `failing`: attempts have failed for 5 days without a success. */
  disabled_reason: 'gone' | 'failing' | null;
  last_delivery: LastDelivery | null;
  /** The secret that signs deliveries. Only this response contains it. */
  secret: string;
}

export interface NewWebhook {
  /** The address to which deliveries are sent. In production it must begin with https. */
  url: string;
  description?: string;
  /** Which events are sent: `*`, full actions, or prefixes such as `member.*`. */
  events?: Array<string>;
  enabled?: boolean;
}

export interface WebhookChange {
  /** The address to which deliveries are sent. In production it must begin with https. */
  url?: string;
  description?: string;
  /** Which events are sent: `*`, full actions, or prefixes such as `member.*`. */
  events?: Array<string>;
  /** `true` also clears `disabled_reason`. */
  enabled?: boolean;
}

export interface WebhookDelivery {
  id: string;
  event_id: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** The HTTP status of the last attempt. Null: no response. */
  last_status: number | null;
  /** Why the last attempt failed. Never contains part of the response. */
  last_error: string | null;
  /** Null: no further attempt follows. */
  next_attempt_at: string | null;
  created_at: string;
  delivered_at: string | null;
}

export interface DeliveryPage {
  items: Array<WebhookDelivery>;
  total: number;
  page: number;
  page_size: number;
}

export interface DeliveryQuery {
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'failed';
  /** The page number, from 1 (default). */
  page?: string | number;
  /** 1 to 100; default 25. */
  page_size?: string | number;
}

export interface ServiceEvent {
  /** The action of the audit row. */
  type: string;
  timestamp: string;
  data: {
    event_id: string;
    organization_id: string;
    actor_id: string | null;
    actor_type: string;
    resource_type: string;
    resource_id: string;
    outcome: string;
    metadata: Record<string, unknown>;
  };
}

export interface EventPage {
  items: Array<ServiceEvent>;
  /** The cursor to pass as `after` to get the next page, now or later. */
  next: string;
}

export interface EventQuery {
  /** The cursor `next` of an earlier page of this stream. Left out: from the oldest event. */
  after?: string;
  /** 1 to 1000; default 100. Values out of range are clamped. */
  limit?: string | number;
  /** Only events that match one of these patterns, at most 100, separated by commas. */
  types?: string;
}
