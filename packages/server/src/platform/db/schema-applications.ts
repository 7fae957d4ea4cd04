import type { ApplicationKind, AuthMethod, InteractionKind } from '@gatehouse/contract';
import type { ColumnType } from 'kysely';
import type { Fixed } from './column-types.ts';

export interface Applications {
  id: Fixed<string>;
  client_id: Fixed<string>;
  name: string;
  kind: Fixed<ApplicationKind>;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  backchannel_logout_uri: string | null;
  scopes: string[];
  resources: string[];
  trusted: boolean;
  device_flow: boolean;
  organization_id: string | null;
  enabled: boolean;
  created_at: Fixed<Date>;
  deleted_at: Date | null;
}

export interface ApplicationSecrets {
  id: Fixed<string>;
  application_id: Fixed<string>;
  hash: Fixed<Buffer>;
  created_at: Fixed<Date>;
  expires_at: Fixed<Date | null>;
  revoked_at: Date | null;
}

export interface ApplicationConsents {
  user_id: Fixed<string>;
  application_id: Fixed<string>;
  /** What the user has allowed. Empty for a trusted application, which does not ask. */
  scopes: string[];
  /** What tokens were issued for. */
  issued_scopes: string[];
  granted_at: Date;
  revoked_at: Date | null;
}

/** One row per authorization. It contains its only code, so that using the code is one conditional update. */
export interface ApplicationGrants {
  /** The `sid` of its tokens. */
  id: Fixed<string>;
  application_id: Fixed<string>;
  user_id: Fixed<string>;
  organization_id: Fixed<string>;
  /** The session in which the user authorized. It may have been deleted since. */
  session_id: Fixed<string>;
  scopes: Fixed<string[]>;
  resource: Fixed<string | null>;
  /** It has the scope `offline_access` and outlives its session. */
  offline: Fixed<boolean>;
  /** The first factor of the session in which the grant began, for the policy of the organization. Null: unknown. */
  first_factor: Fixed<Exclude<AuthMethod, 'password_with_mfa'> | null>;
  /**
   * The connection of the session in which the grant began. Such a grant ends with the session, also with
   * `offline_access`.
   */
  connection_id: ColumnType<string | null, string | null | undefined, never>;
  aal: Fixed<'aal1' | 'aal2'>;
  auth_time: Fixed<Date>;
  nonce: Fixed<string | null>;
  redirect_uri: Fixed<string | null>;
  code_challenge: Fixed<string | null>;
  code_hash: Fixed<Buffer | null>;
  code_expires_at: Fixed<Date | null>;
  code_used_at: Date | null;
  /** The id of the unused refresh token. */
  refresh_jti: string | null;
  created_at: Fixed<Date>;
  last_used_at: Date | null;
  access_expires_at: Date | null;
  expires_at: Date;
  ended_at: Date | null;
}

export interface Interactions {
  id: Fixed<string>;
  kind: Fixed<InteractionKind>;
  /** The hash of the cookie of the browser in which the request began. */
  browser_hash: Fixed<Buffer>;
  application_id: Fixed<string>;
  /** The user who decides. Null: the user who signs in. */
  user_id: Fixed<string | null>;
  request: ColumnType<Record<string, unknown>, string, never>;
  requested_from: Fixed<string | null>;
  requested_at: Fixed<Date>;
  expires_at: Fixed<Date>;
  decided_at: Date | null;
}
