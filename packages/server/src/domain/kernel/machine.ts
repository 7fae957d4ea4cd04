import type { HeldRoles } from './permissions.ts';

/** An API key with everything that its validity and permissions depend on; also an ended key. */
export interface KeyState {
  readonly key_id: string;
  readonly public_id: string;
  readonly secret_hash: Buffer;
  readonly sid: string;
  readonly scopes: string[] | null;
  readonly allowed_ips: string[];
  readonly allowed_referrers: string[];
  readonly revoked_at: Date | null;
  last_used_at: Date | null;
  readonly ends_at: Date | null;
  readonly service_account_id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly disabled_at: Date | null;
  readonly deleted_at: Date | null;
  readonly suspended_at: Date | null;
  readonly held: HeldRoles | null;
  readonly perms_at: number;
}

/** An API key as the principal of a request. */
export interface Machine {
  readonly state: KeyState;
  /** The scope of the access token; null if it is that of the key. */
  readonly scope: readonly string[] | null;
  /** The permissions that the roles of the account, the key and the token all allow, sorted. */
  readonly permissions: readonly string[];
}
