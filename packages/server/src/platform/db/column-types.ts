import type {
  ApplicationKind,
  AuthMethod,
  InteractionKind,
  OAuthProvider,
  Policy,
  Provider,
} from '@gatehouse/contract';

/** What a sign-in began with; a second factor may follow. */
export type FirstFactor = Exclude<AuthMethod, 'password_with_mfa'>;

type Jwk = { n: string; e: string };

/**
 * The types of columns that the catalog cannot tell: every JSON column, and texts of which only some values occur.
 * `schema.ts`, which is generated, refers to them. Null, defaults and checks are in the catalog.
 */
export interface ColumnTypes {
  'application_grants.first_factor': FirstFactor;
  'application_keys.public_jwk': Jwk;
  'applications.kind': ApplicationKind;
  'audit_events.metadata': Record<string, unknown>;
  'audit_events.visibility': 'full' | 'redacted' | 'hidden';
  'feature_flags.value': Record<string, unknown>;
  'identities.provider': OAuthProvider;
  'interactions.kind': InteractionKind;
  'interactions.request': Record<string, unknown>;
  'organizations.policy': Policy;
  'passkeys.device_type': 'singleDevice' | 'multiDevice';
  'provider_configs.provider': Provider;
  'provider_configs.public_config': Record<string, string>;
  'sessions.auth_method': AuthMethod;
  'sessions.first_factor': FirstFactor;
  'signing_keys.public_jwk': Jwk;
  'signing_keys.restricted_jwk': Jwk;
  'sso_connections.last_test': { ok: boolean; detail: string; at: string };
  'user_counts.status': 'active' | 'disabled' | 'deleted';
  'webhook_deliveries.status': 'pending' | 'delivered' | 'failed';
  'webhooks.disabled_reason': 'gone' | 'failing';
}
