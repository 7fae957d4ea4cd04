import type {
  ApplicationKind,
  AuditAction,
  AuthMethod,
  OAuthFailure,
  OAuthProvider,
  Policy,
  Provider,
} from '@gatehouse/contract';
import type { OrganizationRole } from '../kernel/permissions.ts';

type Nothing = Record<string, never>;

/** The metadata of each action: closed and typed, so that no secret and no user input gets into the trail. */
interface Metadata {
  'account.reclaimed': { passkeys: number; identities: number; sessions: number; trusted_browsers: number };
  'auth.login': SignInFacts;
  'auth.email_otp.succeeded': SignInFacts;
  'auth.email_otp.failed': SignInFacts;
  'auth.session.revoked': {
    reason: 'user' | 'organization_switched' | 'administrator' | 'limit' | 'policy';
    count: number;
  };
  'org.created': { owner_user_id: string };
  'org.updated': { fields: ('name' | 'slug')[] };
  'org.suspended': { sessions_revoked: number };
  'policy.updated': { old: Policy; new: Policy };
  'policy.reset': { old: Policy; reason?: 'reclaimed' };
  'domain.added': { domain: string };
  'domain.verified': { domain: string };
  'domain.lapsed': { domain: string };
  'domain.removed': { domain: string };
  'invitation.created': { role: OrganizationRole; role_ids?: readonly string[] };
  'invitation.resent': { role: OrganizationRole };
  'invitation.accepted': { role: OrganizationRole; new_user: boolean };
  'member.disabled': AccountOfMember;
  'member.enabled': AccountOfMember;
  'member.removed': { role: OrganizationRole; left: boolean } & Partial<AccountOfMember>;
  'user.disabled': { sessions_revoked: number };
  'user.deleted': { sessions_revoked: number; by?: 'self' };
  'feature_flag.updated': { flag_key: string; scope: Scope; enabled: boolean };
  'feature_flag.deleted': { flag_key: string; scope: Scope };
  'user.updated': { fields: ('display_name' | 'locale' | 'avatar')[] };
  'auth.mfa.challenge.succeeded': { method: SecondFactor };
  'auth.mfa.challenge.failed': { method: SecondFactor; reason: ChallengeRefusal };
  'auth.mfa.challenge.locked': { method: SecondFactor };
  'auth.passkey.login': PasskeyFacts;
  'mfa.verified': { method: SecondFactor };
  'platform_role.changed': { from: string | null; to: string | null };
  'member.role_changed': { from: OrganizationRole; to: OrganizationRole };
  'member.roles_changed': { added: readonly string[]; removed: readonly string[] };
  'role.created': { scope: Scope; permissions: readonly string[] };
  'role.updated': { scope: Scope; fields: readonly string[]; added: readonly string[]; removed: readonly string[] };
  'role.deleted': { scope: Scope; permissions: readonly string[] };
  'service_account.created': { role_ids: readonly string[] };
  'service_account.updated': { fields: readonly string[]; added: readonly string[]; removed: readonly string[] };
  'service_account.deleted': { keys_revoked: number };
  'api_key.created': { service_account_id: string; scopes: readonly string[] | null; expires_at: string | null };
  'api_key.rotated': { service_account_id: string; new_key_id: string; overlap_seconds: number };
  'api_key.revoked': { service_account_id: string; reason?: 'reclaimed' };
  'api_key.refused': { service_account_id: string; reason: KeyRefusal };
  'permission.updated': { created: boolean };
  'permission.deleted': { roles: number; applications: number };
  'webhook.created': { scope: Scope; events: readonly string[] };
  'webhook.updated': { scope: Scope; fields: readonly string[] };
  'webhook.deleted': { scope: Scope };
  'webhook.disabled': { scope: Scope; reason: 'gone' | 'failing' | 'reclaimed' };
  'webhook.secret_rotated': { scope: Scope };
  'auth.break_glass': { method: AuthMethod };
  'auth.sso.login': { connection_id: string; mfa_pending?: boolean; reason?: 'policy' };
  'auth.sso.linked': { connection_id: string; joined: 'member' | 'invitation' | 'created' | 'added' };
  'auth.sso.refused': { connection_id: string; reason: OAuthFailure };
  'auth.sso.unlinked': { connection_id: string };
  'sso.connection.created': { issuer: string; client_id: string; domains: readonly string[] };
  'sso.connection.updated': {
    fields: readonly string[];
    issuer: string;
    client_id: string;
    sessions: number;
    reason?: 'reclaimed';
  };
  'sso.connection.tested': { ok: boolean; cause?: string };
  'sso.connection.deactivated': { sessions: number };
  'sso.connection.deleted': { sessions: number };
  'auth.oauth.login': { provider: OAuthProvider; identity_id?: string; mfa_pending?: boolean; reason?: 'policy' };
  'auth.oauth.linked': { provider: OAuthProvider };
  'auth.oauth.unlinked': { provider: OAuthProvider };
  'auth.oauth.failed': { provider: OAuthProvider; reason: OAuthFailure; linking?: boolean };
  'integration.updated': { provider: Provider; key_id: string | null; enabled: boolean };
  'integration.tested': { provider: Provider; key_id: string | null; ok: boolean };
  'abuse.limited': { failures: number; window_seconds: number };
  'oauth.client.created': { kind: ApplicationKind; trusted: boolean };
  'oauth.client.updated': { fields: readonly string[]; trusted: boolean; enabled: boolean };
  'oauth.client.secret_created': { secret_id: string };
  'oauth.client.secret_deleted': { secret_id: string };
  'oauth.consent.granted': { scopes: readonly string[] };
  'oauth.consent.revoked': { grants_ended: number };
  'oauth.token.issued': { client_id: string };
  'oauth.token.revoked': { client_id: string; reason?: 'policy' };
  'oauth.code.reused': { client_id: string };
  'audit.exported': { count: number; from: string | null; to: string | null };
}

/** `secret`: the secret part is wrong. `account`: disabled or deleted. `organization`: suspended. */
export type KeyRefusal = 'secret' | 'ended' | 'account' | 'organization' | 'address' | 'referrer';

/** The account was disabled, enabled or deleted, in all its organizations. */
interface AccountOfMember {
  reason: 'account';
}
type Scope = 'global' | 'organization';

type SecondFactor = 'totp' | 'recovery_code';

/**
 * `locked`: this token has no attempts left. `limited`: the account has no attempts left for now. `void`: the token was
 * used, or its preconditions changed. `expired`: the token has expired. `organization`: the code was right, but there
 * is no organization to sign in to. `policy`: the code was right, but the organization does not allow this sign-in.
 */
export type ChallengeRefusal = 'mismatch' | 'locked' | 'limited' | 'void' | 'expired' | 'organization' | 'policy';

/** `passkey_id` is set if the passkey is known. */
interface PasskeyFacts {
  passkey_id?: string;
  reason?: PasskeyRefusal;
}

/**
 * `challenge`: used, or issued for another purpose or user. `unknown`: no such passkey. `verification`: the signature
 * does not match. `counter`: the counter went back, which indicates a cloned authenticator. `account`: disabled or
 * deleted. For the others see `RefusalReason`.
 */
export type PasskeyRefusal =
  | 'challenge'
  | 'unknown'
  | 'verification'
  | 'counter'
  | 'account'
  | 'organization'
  | 'policy'
  | 'superseded';

interface SignInFacts {
  method: 'password' | 'email_otp';
  mfa_pending?: boolean;
  trusted_browser?: boolean;
  reason?: RefusalReason;
}

/**
 * `organization`: the credentials were right, but there is no organization to sign in to. `policy`: they were right,
 * but the organization does not allow this sign-in. `superseded`: they were right, but the account or its remaining
 * attempts changed before the session was created.
 */
export type RefusalReason = 'credentials' | 'organization' | 'policy' | 'superseded';

export type MetadataOf<A extends AuditAction> = A extends keyof Metadata ? Metadata[A] : Nothing;

export interface AuditEvent<A extends AuditAction = AuditAction> {
  readonly action: A;
  readonly now: Date;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly metadata: MetadataOf<A>;
  readonly outcome?: 'success' | 'failure';
  /** Default: the organization of the caller. */
  readonly organization_id?: string;
  /**
   * The account that a proved credential names. Left out: the account of the caller's session. Null: no credential of
   * the account was proved (`anonymous`), or the service acts itself (`system`); `resource_id` then names the account.
   */
  readonly actor_id?: string | null;
}
