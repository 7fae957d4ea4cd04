import { LIMITS } from '@gatehouse/contract';
import type { Schema } from './schema.ts';

export interface Move {
  /** The sort order of the table's file: a row follows those it refers to, and indexes grow at their end. */
  readonly order: readonly string[];
  /** Columns that mean nothing in another database. */
  readonly omit?: readonly string[];
}

/**
 * Rows that match `where` (default: all) are deleted `keptDays` days, plus the time in the setting `after`, after their
 * end.
 */
export interface Retention {
  readonly keptDays: number;
  readonly after?: 'SESSION_MAX_AGE';
  readonly where?: string;
}

interface TableDescription {
  /** What a row means; the table's comment in docs/schema.sql. */
  readonly row: string;
  /** How `gatehouse export` writes the table, or the reason why it omits it. */
  readonly move: Move | string;
  /** What limits the number of rows: deletion, merging down to `maxRows`, or the reason why neither is needed. */
  readonly growth: Retention | { readonly maxRows: number } | string;
}

const DAY = 86_400;
const REVOKED_DAYS = LIMITS.revokedKept / DAY;
const REVOKED: Retention = { keptDays: REVOKED_DAYS, where: 'revoked_at is not null' };
const HOURS: Retention = { keptDays: 0 };

const SIGN_IN_AGAIN = 'all users sign in again';
const BEGIN_AGAIN = 'sign-ins in progress start again';

/**
 * The description of every table, besides its columns. An export writes and an import loads the tables in this order:
 * an exported table comes after the tables it refers to.
 */
export const TABLES: Readonly<Record<keyof Schema, TableDescription>> = {
  organizations: { row: 'An organization (tenant).', move: { order: ['id'] }, growth: 'with the number of users' },
  users: {
    row: 'A user account. A deleted account keeps its row, email address and name, but no credentials.',
    move: { order: ['id'] },
    growth: 'with the number of users; deleted accounts keep their row',
  },
  memberships: {
    row: 'The role of a user in an organization. An ended one stays: single sign-on does not add a former member again.',
    move: { order: ['organization_id', 'user_id'] },
    growth: 'at most one per user and organization',
  },
  permissions: {
    row: 'A permission of the product behind the service.',
    move: { order: ['name'] },
    growth: `at most ${LIMITS.permission.count}`,
  },
  roles: {
    row: 'A role: a set of permissions that members can have besides their base role. Without organization: a global one.',
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'deleted_at is not null' },
  },
  applications: {
    row: 'Other software that signs users in with this service. A deleted one keeps its row for a time.',
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'deleted_at is not null' },
  },
  application_secrets: {
    row: 'A secret of an application, hashed.',
    move: { order: ['id'] },
    growth: REVOKED,
  },
  application_consents: {
    row: 'What a user allows an application, and what tokens were issued for.',
    move: { order: ['user_id', 'application_id'] },
    growth: REVOKED,
  },
  member_roles: {
    row: 'A role of a member besides the base role.',
    move: { order: ['organization_id', 'user_id', 'role_id'] },
    growth: 'deleted with the role, and when the member leaves',
  },
  service_accounts: {
    row: 'An account of a program in an organization. It signs in with API keys only.',
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'deleted_at is not null' },
  },
  service_account_roles: {
    row: 'A role of a service account.',
    move: { order: ['service_account_id', 'role_id'] },
    growth: 'deleted with the role, and with the account',
  },
  api_keys: {
    row: 'An API key of a service account; its secret part is hashed.',
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'least(revoked_at, expires_at, overlap_ends_at) is not null' },
  },
  totp_secrets: {
    row: "A user's authenticator secret, sealed; pending until a first code is verified.",
    move: { order: ['user_id'] },
    growth: 'at most one per user',
  },
  recovery_codes: {
    row: 'A recovery code of a user, hashed; used codes are kept.',
    move: { order: ['user_id', 'code_hash'] },
    growth: 'at most ten per user',
  },
  passkeys: {
    row: 'A passkey of a user: its public key and signature counter.',
    move: { order: ['id'] },
    growth: REVOKED,
  },
  identities: {
    row: 'An account at an OAuth provider that is linked to a user.',
    move: { order: ['id'] },
    growth: REVOKED,
  },
  sso_connections: {
    row: "A connection to an organization's OpenID Connect provider; its secret is sealed. A deleted one keeps its row for a time.",
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'deleted_at is not null' },
  },
  sso_connection_roles: {
    row: 'A role that a connection gives to the members it creates.',
    move: { order: ['connection_id', 'role_id'] },
    growth: 'deleted with the role, and with the connection',
  },
  domains: {
    row: 'A domain of an organization; verified by a DNS record, which is checked daily. A removed one keeps its row for a time.',
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'removed_at is not null' },
  },
  sso_identities: {
    row: 'A subject of a connection, linked to the account of a member.',
    move: { order: ['id'] },
    growth: 'at most one per member and connection; deleted with the connection',
  },
  trusted_browsers: {
    row: 'A trusted browser, in which a user skips the second factor; its cookie is hashed.',
    move: { order: ['id'] },
    growth: { keptDays: LIMITS.trustedBrowser / DAY + REVOKED_DAYS },
  },
  avatars: { row: "A user's picture.", move: { order: ['id'] }, growth: 'at most one per user' },
  invitations: {
    row: 'An invitation to an organization; its token is hashed.',
    move: { order: ['id'] },
    growth: { keptDays: LIMITS.invitation.lifetime / DAY + REVOKED_DAYS },
  },
  feature_flags: {
    row: 'The value of a feature flag for one organization, or its default value.',
    move: { order: ['flag_key', 'organization_id'] },
    growth: 'one per flag and organization',
  },
  provider_configs: {
    row: 'The stored configuration of an OAuth or mail provider; its secret is sealed.',
    move: { order: ['provider'] },
    growth: 'one per provider',
  },
  webhooks: {
    row: "A webhook: a URL that gets events of an organization. Without organization: one of the platform's own.",
    move: { order: ['id'] },
    growth: { keptDays: REVOKED_DAYS, where: 'deleted_at is not null' },
  },
  webhook_secrets: {
    row: 'A secret that signs the deliveries of a webhook, sealed.',
    move: { order: ['id'] },
    growth: 'at most two per webhook',
  },
  foreign_hash_keys: {
    row: 'A sealed key that is needed to verify password hashes imported from another service.',
    move: { order: ['id'] },
    growth: 'with each import from another service',
  },
  milestones: {
    row: 'A step that happens once per database, such as naming the initial owner.',
    move: { order: ['name'] },
    growth: 'one per step',
  },
  audit_events: {
    row: 'An event of the audit trail. Triggers enforce that rows are only added; one partition per month.',
    // xid is the transaction that wrote the row, in its own database.
    move: { order: ['id'], omit: ['xid'] },
    growth: 'with user activity; an operator detaches old months',
  },
  sessions: {
    row: 'A session: a user signed in to an organization, and the current refresh token of its family.',
    move: SIGN_IN_AGAIN,
    growth: { keptDays: REVOKED_DAYS, after: 'SESSION_MAX_AGE' },
  },
  refresh_uses: {
    row: 'A refresh token used moments ago: a second use is treated as a concurrent request, not as theft.',
    move: SIGN_IN_AGAIN,
    growth: HOURS,
  },
  revocations: {
    row: 'A revoked session whose access tokens have not expired: the revocation feed.',
    move: SIGN_IN_AGAIN,
    growth: HOURS,
  },
  refreshes: {
    row: 'A change of roles that makes older access tokens stale: the second list of the revocation feed.',
    move: SIGN_IN_AGAIN,
    growth: HOURS,
  },
  signing_keys: {
    row: 'A key pair that signs access tokens; the private key is sealed.',
    move: 'the new service signs with a key of its own',
    growth: { keptDays: 7, where: 'published_until is not null' },
  },
  application_keys: {
    row: 'A key pair that signs the tokens of applications; the private key is sealed.',
    move: 'the new service signs with a key of its own',
    growth: { keptDays: 7, where: 'published_until is not null' },
  },
  application_grants: {
    row: 'The access of one application to one account: the authorization code, hashed, and the tokens issued for it.',
    move: SIGN_IN_AGAIN,
    growth: { keptDays: 1, after: 'SESSION_MAX_AGE' },
  },
  interactions: {
    row: 'A step of an authorization request that waits for the user.',
    move: BEGIN_AGAIN,
    growth: HOURS,
  },
  mails: {
    row: 'A queued or finished mail. Recipient and parameters are sealed, and deleted when the mail is finished.',
    move: 'only the old service sends the mails that it queued',
    growth: { keptDays: 30 },
  },
  webhook_deliveries: {
    row: 'An event on its way to a webhook, or delivered, or failed.',
    move: 'only the old service sends the events that it queued',
    growth: { keptDays: LIMITS.webhook.deliveriesKept / DAY },
  },
  webhook_spans: {
    row: 'A time in which a webhook is enabled, as two snapshots of transaction ids.',
    move: 'transaction ids of the old database; the new service starts a span for each enabled webhook',
    growth: 'deleted when the deliveries of its events are inserted; at most one open span per webhook',
  },
  event_stream: {
    row: 'The order of the stream of events, and the last event for which deliveries were inserted.',
    move: 'the new database has its own transaction ids',
    growth: 'one row',
  },
  one_time_tokens: {
    row: 'A mailed code or link, hashed: sign-in, password reset, email verification, email change.',
    move: 'users request new codes and links',
    growth: HOURS,
  },
  mfa_tokens: {
    row: 'A sign-in that waits for the second factor, with the number of failed attempts.',
    move: BEGIN_AGAIN,
    growth: HOURS,
  },
  passkey_challenges: {
    row: 'A used WebAuthn challenge, kept so that it cannot be used again.',
    move: BEGIN_AGAIN,
    growth: HOURS,
  },
  oauth_states: {
    row: 'A used OAuth state, kept so that it cannot be used again.',
    move: BEGIN_AGAIN,
    growth: HOURS,
  },
  rate_counters: { row: 'A counter of a rate limit; the key is hashed.', move: 'limits start at zero', growth: HOURS },
  bus_events: {
    row: 'A message to the other replicas about a stale cache entry.',
    move: 'messages between replicas of the old service',
    growth: HOURS,
  },
  replicas: {
    row: 'A process that serves this database, until it stops or has not been seen for a day.',
    move: 'processes of the old service',
    growth: 'one per running process; each start removes those of the last day before',
  },
  turns: {
    row: 'A lease: a kind of background work that one replica performs until the lease expires.',
    move: 'leases of replicas of the old service',
    growth: 'one per kind of work',
  },
  user_logins: {
    row: 'A copy of the last sign-in of a user, by which the list of users can be sorted.',
    move: 'recomputed',
    growth: 'one per user',
  },
  user_counts: {
    row: 'A change in the number of users with a status; the number is the sum of the rows.',
    move: 'recomputed',
    growth: { maxRows: 3 },
  },
  password_counts: {
    row: 'A change in the number of password hashes with the same parameters; the number is the sum of the rows.',
    move: 'recomputed',
    growth: { maxRows: 2 },
  },
  audit_hours: {
    row: 'The number of audit events of one action in one hour.',
    move: 'recomputed',
    growth: 'with the audit trail',
  },
  audit_mark: {
    row: 'The last audit event that audit_hours has counted.',
    move: 'recomputed',
    growth: 'one row',
  },
  imports: {
    row: 'The position of an import in a file of an export, so that it can resume.',
    move: 'describes imports into the old database',
    growth: 'with each import',
  },
  schema_migrations: {
    row: 'An applied migration.',
    move: 'the new database has its own',
    growth: 'one per migration',
  },
};
