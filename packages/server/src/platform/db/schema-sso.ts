import type { ColumnType } from 'kysely';

/** Set once, at insert. */
type Fixed<T> = ColumnType<T, T, never>;

/** Null at insert. */
type Later<T> = ColumnType<T | null, undefined, T | null>;

export interface SsoConnections {
  id: Fixed<string>;
  organization_id: Fixed<string>;
  name: string;
  issuer: string;
  client_id: string;
  /** Null: not set, or cleared by a change of the issuer. */
  sealed_secret: string | null;
  create_members: boolean;
  default_role: 'member' | 'admin';
  trust_idp_mfa: boolean;
  active: ColumnType<boolean, undefined, boolean>;
  /** The last passed test since the last change of issuer, client or secret. */
  tested_at: Later<Date>;
  last_test: ColumnType<{ ok: boolean; detail: string; at: string } | null, undefined, string | null>;
  created_at: Fixed<Date>;
  deleted_at: Later<Date>;
}

export interface SsoConnectionRoles {
  connection_id: Fixed<string>;
  role_id: Fixed<string>;
}

export interface Domains {
  id: Fixed<string>;
  organization_id: Fixed<string>;
  /** Lower-case, as A-labels. */
  domain: Fixed<string>;
  /** The value of the TXT record after `gatehouse-domain=`. It is public. */
  token: Fixed<string>;
  connection_id: Later<string>;
  created_at: Fixed<Date>;
  /** Null: pending. */
  verified_at: Later<Date>;
  /** The last look-up of the record that was answered, whether or not the record was found. */
  checked_at: Later<Date>;
  /** The next daily check. Null while pending. */
  next_check_at: Later<Date>;
  /** The first failed daily check since the record was last found. */
  failing_since: Later<Date>;
  removed_at: ColumnType<Date | null, Date | undefined, Date>;
}

export interface SsoIdentities {
  id: Fixed<string>;
  connection_id: Fixed<string>;
  user_id: Fixed<string>;
  subject: Fixed<string>;
  /** The email that the provider sent at the last sign-in. */
  email: string;
  linked_at: Fixed<Date>;
  last_used_at: Later<Date>;
}
