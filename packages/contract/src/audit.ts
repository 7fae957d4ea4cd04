import { type Static, Type } from 'typebox';
import { PAGE_QUERY, PageOf } from './page.ts';
import { Nullable, Timestamp, Uuid } from './text.ts';

/** §6 and docs/reference/operations.md#audit-trail: the closed list of audit actions. */
export const AUDIT_ACTIONS = [
  'account.reclaimed',
  'auth.login',
  'auth.logout',
  'auth.register',
  'auth.passkey.login',
  'auth.mfa.challenge.succeeded',
  'auth.mfa.challenge.failed',
  'auth.mfa.challenge.locked',
  'auth.password_reset.requested',
  'auth.password_reset.consumed',
  'auth.password.changed',
  'auth.refresh.reuse_detected',
  'auth.session.revoked',
  'auth.email_otp.requested',
  'auth.email_otp.succeeded',
  'auth.email_otp.failed',
  'auth.email.verified',
  'auth.email.changed',
  'auth.oauth.login',
  'auth.oauth.linked',
  'auth.oauth.unlinked',
  'auth.oauth.failed',
  'auth.sso.login',
  'auth.sso.linked',
  'auth.sso.unlinked',
  'auth.sso.refused',
  'auth.break_glass',
  'mfa.enabled',
  'mfa.disabled',
  'mfa.recovery_codes.regenerated',
  'mfa.verified',
  'mfa.reset',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'trusted_browser.added',
  'trusted_browser.revoked',
  'org.created',
  'org.updated',
  'org.suspended',
  'org.restored',
  'policy.updated',
  'policy.reset',
  'domain.added',
  'domain.verified',
  'domain.lapsed',
  'domain.removed',
  'invitation.created',
  'invitation.resent',
  'invitation.revoked',
  'invitation.accepted',
  'member.disabled',
  'member.enabled',
  'member.role_changed',
  'member.roles_changed',
  'member.removed',
  'role.created',
  'role.updated',
  'role.deleted',
  'service_account.created',
  'service_account.updated',
  'service_account.disabled',
  'service_account.enabled',
  'service_account.deleted',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.refused',
  'permission.updated',
  'permission.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
  'sso.connection.created',
  'sso.connection.updated',
  'sso.connection.tested',
  'sso.connection.activated',
  'sso.connection.deactivated',
  'sso.connection.deleted',
  'user.updated',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'user.exported',
  'platform_role.changed',
  'feature_flag.updated',
  'feature_flag.deleted',
  'integration.updated',
  'integration.tested',
  'oauth.client.created',
  'oauth.client.updated',
  'oauth.client.deleted',
  'oauth.client.secret_created',
  'oauth.client.secret_deleted',
  'oauth.consent.granted',
  'oauth.consent.revoked',
  'oauth.token.issued',
  'oauth.token.revoked',
  'oauth.code.reused',
  'audit.exported',
  'abuse.limited',
  'signing_key.created',
  'signing_key.retired',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The organization of events that belong to no tenant. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** §2.3 */
export const AuditRow = Type.Object({
  id: Type.Integer(),
  event_id: Uuid,
  timestamp: Timestamp,
  organization_id: Uuid,
  actor_id: Nullable(Uuid),
  actor_type: Type.String(),
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: Type.String(),
  ip_address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  request_id: Nullable(Uuid),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  outcome: Type.String(),
});
export type AuditRow = Static<typeof AuditRow>;

const FROM_TO = {
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only events at or after this time.',
      examples: ['2026-01-01T00:00:00Z'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only events at or before this time.',
      examples: ['2026-01-31T23:59:59Z'],
    }),
  ),
} as const;

/** §4.10 */
export const AuditExportQuery = Type.Object(FROM_TO);
export type AuditExportQuery = Static<typeof AuditExportQuery>;

const Exactly = (description: string, example: string, maxLength = 100) =>
  Type.Optional(Type.String({ format: 'text', minLength: 1, maxLength, description, examples: [example] }));

const OF_ACTOR = {
  user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only events of which this user is the actor.' })),
  action: Exactly('Only events with exactly this action.', 'auth.login'),
} as const;

export const OrganizationAuditQuery = Type.Object({ ...OF_ACTOR, ...FROM_TO, ...PAGE_QUERY });
export type OrganizationAuditQuery = Static<typeof OrganizationAuditQuery>;

export const AuditQuery = Type.Object({
  ...OF_ACTOR,
  organization_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only events of this organization.' })),
  outcome: Exactly('Only events with exactly this outcome.', 'failure'),
  resource_type: Exactly('Only events about this kind of resource.', 'user'),
  resource_id: Exactly('Only events about the resource with exactly this id.', NIL_UUID, 300),
  ...FROM_TO,
  ...PAGE_QUERY,
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = PageOf(AuditRow);
export type AuditPage = Static<typeof AuditPage>;
