import type { ColumnType } from 'kysely';
import type { Fixed } from './column-types.ts';

export interface Refreshes {
  id: ColumnType<number, never, never>;
  /** Base64url of the SHA-256 of `<org>/<sub>`, `<org>` or `*`. */
  key: Fixed<string>;
  /** Milliseconds since 1970; null until it is published. */
  before: ColumnType<number | null, never, number>;
  expires_at: Date;
  xid: ColumnType<string | null, never, string>;
}

export interface Permissions {
  name: Fixed<string>;
  description: string | null;
  created_at: Fixed<Date>;
}

export interface Roles {
  id: Fixed<string>;
  /** Null: a global role. */
  organization_id: Fixed<string | null>;
  name: string;
  slug: string;
  description: string | null;
  /** Permissions of the product and of the service, sorted. */
  permissions: string[];
  created_at: Fixed<Date>;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface MemberRoles {
  organization_id: Fixed<string>;
  user_id: Fixed<string>;
  role_id: Fixed<string>;
}
