import type { Binding } from '../../platform/crypto/seal.ts';
import type { Schema } from '../../platform/db/schema.ts';

type Table = keyof Schema;

/** A column whose values open with a secret of the service alone. */
interface SealedColumn {
  readonly name: string;
  /** Names the row the value was sealed for. */
  readonly row: string;
  readonly purpose: Binding['purpose'];
  readonly under: 'JWT_SECRET' | 'CONFIG_ENCRYPTION_KEY';
  /** As people call one of its values. */
  readonly noun: string;
}

export interface MovedTable {
  readonly name: Table;
  /** The order of its file. Loaded in it, rows find those they refer to, and indexes grow at their end. */
  readonly order: readonly string[];
  /** Columns that mean nothing in another database. */
  readonly omit?: readonly string[];
  readonly sealed?: SealedColumn;
}

/** All that a service is made of. What refers to another table comes after it. */
export const MOVED: readonly MovedTable[] = [
  { name: 'organizations', order: ['id'] },
  { name: 'users', order: ['id'] },
  { name: 'memberships', order: ['organization_id', 'user_id'] },
  {
    name: 'totp_secrets',
    order: ['user_id'],
    sealed: {
      name: 'sealed_secret',
      row: 'user_id',
      purpose: 'totp',
      under: 'JWT_SECRET',
      noun: 'authenticator secret',
    },
  },
  { name: 'recovery_codes', order: ['user_id', 'code_hash'] },
  { name: 'passkeys', order: ['id'] },
  { name: 'identities', order: ['id'] },
  { name: 'trusted_browsers', order: ['id'] },
  { name: 'avatars', order: ['id'] },
  { name: 'invitations', order: ['id'] },
  { name: 'feature_flags', order: ['flag_key', 'organization_id'] },
  {
    name: 'provider_configs',
    order: ['provider'],
    sealed: {
      name: 'sealed_secret',
      row: 'provider',
      purpose: 'provider',
      under: 'CONFIG_ENCRYPTION_KEY',
      noun: 'provider secret',
    },
  },
  {
    name: 'foreign_hash_keys',
    order: ['id'],
    sealed: {
      name: 'sealed_key',
      row: 'id',
      purpose: 'foreign-hash',
      under: 'JWT_SECRET',
      noun: 'key of brought-along hashes',
    },
  },
  { name: 'milestones', order: ['name'] },
  // xid is that of the transaction that wrote the row, in the database it is in.
  { name: 'audit_events', order: ['id'], omit: ['xid'] },
];

const SIGN_IN_AGAIN = 'everybody signs in again';
const BEGIN_AGAIN = 'sign-ins under way begin again';

/** What stays behind, and what that means for people. */
export const LEFT: Readonly<Partial<Record<Table, string>>> = {
  sessions: SIGN_IN_AGAIN,
  refresh_uses: SIGN_IN_AGAIN,
  revocations: SIGN_IN_AGAIN,
  signing_keys: 'the new service signs with a key of its own',
  mails: 'what is queued is sent by the old service, or not at all',
  one_time_tokens: 'codes and links mailed before are asked for again',
  mfa_tokens: BEGIN_AGAIN,
  passkey_challenges: BEGIN_AGAIN,
  oauth_states: BEGIN_AGAIN,
  rate_counters: 'limits count anew',
  bus_events: 'news for replicas of the old service',
  turns: 'taken by replicas of the old service',
};

/** What the new database makes for itself. */
export const DERIVED: Readonly<Partial<Record<Table, string>>> = {
  user_counts: 'counted anew',
  password_counts: 'counted anew',
  audit_hours: 'counted anew',
  audit_mark: 'counted anew',
  imports: 'tells of imports into the old database',
  schema_migrations: 'the new database has its own',
};
