import type { ColumnType } from 'kysely';
import type { Fixed } from './column-types.ts';

/** Null at insert. */
type Later = ColumnType<Date | null, undefined, Date | null>;

export interface ServiceAccounts {
  id: Fixed<string>;
  organization_id: Fixed<string>;
  name: string;
  description: string | null;
  created_by: Fixed<string>;
  created_at: Fixed<Date>;
  last_used_at: Later;
  disabled_at: Later;
  deleted_at: Later;
}

export interface ServiceAccountRoles {
  service_account_id: Fixed<string>;
  role_id: Fixed<string>;
}

export interface ApiKeys {
  id: Fixed<string>;
  service_account_id: Fixed<string>;
  /** The 12 characters after `gth_`. */
  public_id: Fixed<string>;
  /** HMAC-SHA-256 of the secret part. */
  secret_hash: Fixed<Buffer>;
  /** The `sid` of its access tokens; a new one after each disabling and suspension. */
  sid: string;
  name: Fixed<string>;
  /** Null: everything that the account may do. Sorted. */
  scopes: Fixed<string[] | null>;
  allowed_ips: Fixed<string[]>;
  allowed_referrers: Fixed<string[]>;
  created_at: Fixed<Date>;
  expires_at: Fixed<Date | null>;
  /** Set by a rotation with overlap. */
  overlap_ends_at: Later;
  revoked_at: Later;
  last_used_at: Later;
}
