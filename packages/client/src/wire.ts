// Made from the schemas of the service by wire.test.ts; do not edit.

export type ErrorCode = 'authentication_required' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_input' | 'rate_limited' | 'mfa_required' | 'license_required' | 'internal_error' | 'csrf_failed' | 'payment_required';

export type StepUp = 'second_factor' | 'sign_in' | 'enroll';

export type OAuthProvider = 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';

export type Provider = 'email_transport' | 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';

export type Aal = 'aal1' | 'aal2';

export type AuthMethod = 'password' | 'passkey' | 'social_oauth' | 'password_with_mfa' | 'email_otp';

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
  /** Not before this moment. */
  from?: string;
  /** Not after this moment. */
  to?: string;
}

export interface AuditQuery {
  /** What this user has done. */
  user_id?: string;
  /** Exactly this action. */
  action?: string;
  /** Not before this moment. */
  from?: string;
  /** Not after this moment. */
  to?: string;
  /** From 1, which it is when left out. */
  page?: string | number;
  /** 1 to 100; 25 when left out. */
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

/** The one body of every answer that tells of a failure. Switch on `code`. */
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
  /** An object of your own, at most 16384 bytes as JSON and 32 levels deep; or null. */
  value: Record<string, unknown> | null;
}

export interface FlagChange {
  flag_key: string;
  /** Null: the default for every organization. */
  organization_id?: string | null;
  enabled: boolean;
  /** An object of your own, at most 16384 bytes as JSON and 32 levels deep; or null. */
  value?: Record<string, unknown> | null;
}

export interface FlagState {
  enabled: boolean;
  /** An object of your own, at most 16384 bytes as JSON and 32 levels deep; or null. */
  value: Record<string, unknown> | null;
}

export type FlagMap = Record<string, FlagState>;

export interface FlagScope {
  organization_id?: string;
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  checks: {
    database: 'ok' | 'failed';
    migrations: 'ok' | 'failed';
    signing_key: 'ok' | 'failed';
    mail: 'ok' | 'failed';
  };
  provider_config: {
    degraded: boolean;
    providers: Array<string>;
    reasons?: Record<string, string>;
  };
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
}

export interface InvitationList {
  items: Array<Invitation>;
  total: number;
  page: number;
  page_size: number;
}

export interface InvitationQuery {
  status?: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** From 1, which it is when left out. */
  page?: string | number;
  /** 1 to 1000; 1000 when left out. */
  page_size?: string | number;
}

export interface InvitationRequest {
  email: string;
  role: MemberRole;
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
}

export interface InvitationAccepted {
  status: 'accepted';
  organization_id: string;
  role: MemberRole;
}

export type UnprovenCredential = 'identity' | 'passkey' | 'password' | 'totp';

export interface SessionUser {
  user_id: string;
  organization_id: string;
  email: string;
  email_verified: boolean;
  display_name: string | null;
  auth_method: AuthMethod;
  aal: Aal;
  session_family_id: string;
  mfa_verified_at: string | null;
  scopes: Array<string>;
  allowed_ips: Array<string>;
  allowed_referrers: Array<string>;
  extensions: {
    /** After a sign-in by emailed code, while the email is not verified: what exists and this session has neither proved nor added. Sorted. */
    unproven_credentials?: Array<UnprovenCredential>;
    /** Present exactly with `unproven_credentials`: when and with which device the account was created. */
    account?: {
      created_at: string;
      /** The browser and the system that registered it; null: not known. */
      device: string | null;
    };
  };
}

export interface Capabilities {
  role: 'owner' | 'admin' | 'member';
  permissions: Array<string>;
  platform_role: 'viewer' | 'admin' | 'owner' | null;
}

export interface LoginSuccess {
  status: 'success';
  user: SessionUser;
  capabilities: Capabilities;
  access_token: string;
  /** Seconds until the access token ends. */
  expires_in: number;
}

export interface MfaRequired {
  status: 'mfa_required';
  /** Good for the MFA challenge alone. */
  mfa_token: string;
  mfa_token_expires_in: number;
}

export type LoginResponse = LoginSuccess | MfaRequired;

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
}

export interface MemberList {
  items: Array<Member>;
  total: number;
  page: number;
  page_size: number;
}

export interface MemberQuery {
  /** A part of the email or of the display name. Blank lists all. */
  q?: string;
  /** From 1, which it is when left out. */
  page?: string | number;
  /** 1 to 1000; 1000 when left out. */
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
  /** Base32, for an app that cannot scan */
  secret: string;
  otpauth_url: string;
  /** The same as a picture: an SVG data URI */
  qr_code: string;
}

export interface MfaEnableRequest {
  /** Six digits of an authenticator app */
  code: string;
}

export interface MfaEnabled {
  /** 10 codes, each good for one time. They are shown this once. */
  recovery_codes: Array<string>;
  mfa_verified_at: string;
  access_token: string;
  expires_in: number;
}

/** Only an account without a password leaves it out; there, a sign-in or second factor of the last 5 minutes stands for it. */
export interface PasswordConfirmation {
  password?: string;
}

export interface RecoveryCodes {
  /** 10 codes, each good for one time. They are shown this once. */
  recovery_codes: Array<string>;
}

/** Exactly one of the two. */
export interface MfaVerifyRequest {
  /** Six digits of an authenticator app */
  code?: string | null;
  /** One of the codes that were shown once; capitals and hyphens do not matter */
  recovery_code?: string | null;
}

export interface MfaVerified {
  mfa_verified_at: string;
  access_token: string;
  expires_in: number;
}

/** The token of an `mfa_required` answer and exactly one of the two codes. */
export interface MfaChallengeRequest {
  mfa_token: string;
  /** Six digits of an authenticator app */
  code?: string | null;
  /** One of the codes that were shown once; capitals and hyphens do not matter */
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

export type OAuthResult = LoginSuccess | MfaRequired | {
  status: 'linked';
  identity: Identity;
};

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
  /** Nobody can sign in to it, and its sessions have ended. */
  suspended: boolean;
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
  /** From 1, which it is when left out. */
  page?: string | number;
  /** 1 to 100; 25 when left out. */
  page_size?: string | number;
}

export interface NewOrganizationRequest {
  organization_name: string;
  organization_slug?: string;
  owner_email: string;
  owner_password: string;
  owner_display_name?: string;
}

export interface NewOrganization {
  organization_id: string;
  owner_user_id: string;
  slug: string;
}

export interface OrganizationChange {
  name?: string;
  /** True suspends, false restores. */
  suspended?: boolean;
}

export interface OverviewQuery {
  /** How far back sign-ins are counted; 24 hours when left out. */
  range?: '24h' | '7d' | '30d';
}

export interface SignInPoint {
  /** Where the hour or the day begins, in UTC. */
  at: string;
  /** Sign-ins that opened a session: by password, passkey, emailed code or a third party; with a second factor, once that was given. Registering with a password is none. */
  succeeded: number;
  /** Attempts that were refused, at the first factor or at the second, each that the audit trail tells of: what a limit turns away unjudged leaves no row. */
  failed: number;
}

export interface Overview {
  /** Active or disabled; those that were deleted are not counted. */
  users: number;
  /** Suspended ones too. */
  organizations: number;
  /** Neither ended nor expired. */
  active_sessions: number;
  /** There are so many (about a million) that `active_sessions` is what the database expects, not a count. */
  active_sessions_estimated: boolean;
  mail: {
    /** Waiting to be sent, for the first time or again. */
    queued: number;
    /** Given up in the last 30 days: refused, or tried in vain. */
    failed: number;
    /** Not sent in the last 30 days because what they held was good no longer. */
    expired: number;
  };
  sign_ins: {
    /** What a point stands for: hours for `24h`, else days. */
    step: 'hour' | 'day';
    /** All of them, oldest first: 24, 7 or 30. The last is the hour or day that is still under way. */
    points: Array<SignInPoint>;
  };
}

export interface PasskeyOptions {
  /** For `navigator.credentials`, through `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
  publicKey: Record<string, unknown>;
}

export interface PasskeyRegisterRequest {
  /** What `navigator.credentials.create` gave, by `toJSON()`. */
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
}

export interface PasskeyList {
  items: Array<Passkey>;
}

export interface PasskeyLoginBeginRequest {
  email?: string;
}

export interface PasskeyLoginRequest {
  /** What `navigator.credentials.get` gave, by `toJSON()`. */
  credential: Record<string, unknown>;
  organization_id?: string;
}

export interface ProviderView {
  provider: 'email_transport' | 'oauth_a' | 'oauth_b' | 'oauth_c' | 'oauth_d' | 'oauth_e';
  /** What people call it. */
  name: string;
  /** Whether the stored row is active. */
  enabled: boolean;
  public_config: Record<string, string>;
  secret_set: boolean;
  /** The key under which the secret was sealed. */
  key_id: string | null;
  updated_at: string | null;
  /** The row is enabled and cannot be applied. */
  degraded: boolean;
  degraded_reason: 'fields_missing' | 'secret_missing' | 'key_unset' | 'key_unknown' | 'secret_unreadable' | null;
  /** Where what is in force comes from; null: off. */
  source: 'stored' | 'environment' | null;
  /** To be registered with the provider, exactly as it stands here. */
  callback_url: string | null;
}

export interface ProviderList {
  /** Whether CONFIG_ENCRYPTION_KEY is set. */
  secrets_enabled: boolean;
  providers: Array<ProviderView>;
}

export interface ProviderChange {
  enabled: boolean;
  /** What is left out is not kept. Fields that the provider does not know are ignored. */
  public_config?: Record<string, unknown>;
  /** At most 4096 bytes. Absent or null: the stored one stays. */
  secret?: string | null;
  clear_secret?: boolean;
}

export interface ProbeResult {
  ok: boolean;
  detail: string;
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
  /** The browser and the system, by what it says of itself. */
  device: string;
  auth_method: AuthMethod;
  aal: Aal;
  organization_id: string;
}

export interface SessionList {
  items: Array<SessionItem>;
}

export interface SetupState {
  /** Somebody active has the platform role `owner`. */
  platform_owner: boolean;
}

export interface RegisterRequest {
  email: string;
  password: string;
  organization_name: string;
  organization_slug?: string;
  display_name?: string;
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
  /** While the email is not verified: also remove the second factor, which someone else may have added. */
  disown?: boolean;
}

export interface EmailVerifyRequest {
  token: string;
  /** The account is not yours: remove its password, passkeys, identities, second factor and sessions. On a link of kind `change`: void the link. */
  disown?: boolean;
}

export interface EmailVerifyPreviewRequest {
  token: string;
}

export interface EmailVerifyPreview {
  email: string;
  /** `change`: it takes the place of the address the account has now. */
  kind: 'verification' | 'change';
  /** The account of the link. Absent for the kind `change`. */
  account?: {
    created_at: string;
    /** The browser and the system that registered it; null: not known. */
    device: string | null;
    /** Its email is not verified yet. */
    unproven: boolean;
    /** The credentials that it has. Sorted. */
    credentials: Array<UnprovenCredential>;
  };
}

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
  /** Members of this organization alone. */
  organization_id?: string;
  /** Users of every state when left out. */
  status?: 'active' | 'disabled' | 'deleted';
  /** From 1, which it is when left out. */
  page?: string | number;
  /** 1 to 100; 25 when left out. */
  page_size?: string | number;
}

export interface UserStatusChange {
  status: 'active' | 'disabled';
}

export interface PlatformRoleChange {
  /** Null takes the role away. */
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
